/** What Twilio is told with a call: where to call back, with what it must bring along, and how to detect machines and to record. */
import type { Telephony } from "@outdial/core"
import { type DateTime, Duration } from "effect"
import { mostConnections } from "../call/CarrierCall.ts"
import type { Form } from "./TwilioApi.ts"
import type * as Twiml from "./Twiml.ts"

/**
 * How long after the last instant to place a call its phone may begin to ring, by Twilio's clock: the request takes up to 15 seconds, and the
 * two clocks may differ.
 */
const startsWithin = Duration.seconds(30)

/**
 * Twilio would send a callback again once, and only if it could not connect. With this fragment of an address it does so up to five times,
 * also after an error or a time-out, within 15 seconds in all. A fragment is not sent.
 * https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides
 */
export const repeated = "#rc=5&rp=all"

/** How the relay speaks; any process needs it to connect the call again. */
export type Spoken = Pick<Twiml.Connection, "language" | "voice">

/** The address with the instant by which the call must be placed: what waited in Twilio's queue may ring hours later. */
export const statusOf = (address: string, dialBy: DateTime.Utc): string =>
  `${address}?by=${dialBy.epochMilliseconds}${repeated}`

export const isLate = (url: string, at: DateTime.Utc): boolean => {
  const by = Number(new URLSearchParams(url.split("?")[1]).get("by"))
  return by > 0 && at.epochMilliseconds > by + Duration.toMillis(startsWithin)
}

/** The address with what is needed to connect the call again; Twilio signs it as a whole. */
export const actionOf = (address: string, { language, voice }: Spoken, count: number): string => {
  const query = { n: String(count), ...(language !== undefined && { language }), ...(voice !== undefined && { voice }) }
  return `${address}?${new URLSearchParams(query).toString()}${repeated}`
}

export const spokenOf = (url: string): { readonly connection: Spoken; readonly count: number } => {
  const query = new URLSearchParams(url.split("?")[1] ?? "")
  const [language, voice] = [query.get("language"), query.get("voice")]
  return {
    connection: { ...(language !== null && { language }), ...(voice !== null && { voice }) },
    count: Number(query.get("n")) || mostConnections
  }
}

/** Beside the conversation, so that a person does not wait. A message is left after the greeting. */
export const detection = ({ voicemail, voicemailMessage }: Telephony.DialRequest["agent"], url: string): Form => [
  ["MachineDetection", voicemail === "leave_message" && voicemailMessage !== undefined ? "DetectMessageEnd" : "Enable"],
  ["AsyncAmd", "true"],
  ["AsyncAmdStatusCallback", url + repeated]
]

/** From the answer on, the contact and the agent apart, and with its silences, so that its times are those of the transcript. */
export const recorded = (url: string): Form => [
  ["Record", "true"],
  ["RecordingChannels", "dual"],
  ["Trim", "do-not-trim"],
  ["RecordingStatusCallback", url + repeated],
  ["RecordingStatusCallbackEvent", "completed"],
  ["RecordingStatusCallbackEvent", "absent"]
]
