/** The output of `outdial dev` when it is ready: its address, and two commands to paste. */
import { type Account, Policy } from "@outdial/core"
import { Redacted } from "effect"
import * as CallingHoursText from "../cli/policy/CallingHoursText.ts"
import type * as FakeCarrier from "./FakeCarrier.ts"
import type { SeedAccount } from "./SeedAccount.ts"

export interface Ready extends SeedAccount {
  readonly url: string
  /** A link to the console, which works once. */
  readonly consoleUrl: string
  /** `undefined` in memory. */
  readonly folder: string | undefined
  readonly carrier: "simulated" | FakeCarrier.Name
  readonly speed: number
  /** The release of the time zone data in use. */
  readonly tzdata: string | undefined
}

/** For programs: one line of JSON. */
export const json = ({ account, agentId, apiKey, consoleUrl, url, webhookSecret }: Ready): string =>
  JSON.stringify({
    url,
    console_url: consoleUrl,
    api_key: apiKey,
    account_id: account.id,
    agent_id: agentId,
    webhook_secret: Redacted.value(webhookSecret)
  })

/** For people. */
export const text = (ready: Ready): string => {
  const { account, agentId, apiKey, carrier, consoleUrl, folder, speed, tzdata, url, webhookUrl } = ready
  return `
Outdial is ready at ${url}

Open its console in your browser; the link works once, for ten minutes:

  ${consoleUrl}

  API key   ${apiKey}
  Agent     ${agentId}
  Events    ${webhookUrl}
  Data      ${folder ?? "in memory, deleted when this process ends"}
  Zones     time zone data ${tzdata ?? "of an unknown release"}

No real phone rings: the carrier is ${carriers[carrier]}${speed === 1 ? "" : `, ${speed} times faster than life`}.
${hours(account)}

A test call, which ends at once with a sample outcome:

${curl(ready, `"phone_number":"+14155550100","test":true`)}

${calls[carrier]} to a fresh number: it is dialed, answered, and talked through with the agent in about half a minute:

${curl(ready, `"phone_number":"+1415'$(date +%H%M%S)'1"`)}

The number's last digit chooses the callee: 0-4 talk to the end, 5 is busy, 6 never picks up, 7 is voicemail, 8 hangs up,
9 has carrier errors. What is said and the events of your calls are printed below. Ctrl-C stops the server; ${
    folder === undefined ? "its data are lost" : "the next start continues"
  }.
`
}

const carriers: Readonly<Record<Ready["carrier"], string>> = {
  simulated: "simulated",
  "fake-telnyx": "a fake Telnyx in this process",
  "fake-twilio": "a fake Twilio in this process"
}

const calls: Readonly<Record<Ready["carrier"], string>> = {
  simulated: "A simulated call",
  "fake-telnyx": "A call over the fake Telnyx",
  "fake-twilio": "A call over the fake Twilio"
}

/** Describes the current account; its user may have changed the policy. */
const hours = ({ lines, paused, policy }: Account.Account): string => {
  if (paused) return "This account is paused: its calls wait until it is resumed."
  if (policy === undefined) return "This account's policy cannot be read: its calls wait until it has another."
  return policy.callingHours === null
    ? `This account calls at all hours, with ${lines} lines, so that you can try it at any time of day. New accounts have calling hours.`
    : `This account calls when the callee's clock shows ${CallingHoursText.text(Policy.complete(policy).callingHours)}.`
}

const curl = ({ agentId, apiKey, url }: Ready, call: string): string =>
  `curl -s ${url}/v1/calls -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' \\
  -d '{"agent_id":"${agentId}",${call},"contact":{"name":"Grace Hopper"},"variables":{"appointment":"Tuesday at ten"}}'`
