/** The scripts that measure the carriers on a live account, against the fakes. */
import { assert, describe, it } from "@effect/vitest"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { createServer } from "node:http"
import * as Measuring from "../../../scripts/live/Measuring.ts"
import * as Telnyx from "../../../scripts/live/telnyx.ts"
import * as Twilio from "../../../scripts/live/twilio.ts"
import * as FreePort from "./FreePort.ts"
import * as CheckedTwilio from "../twilio/CheckedTwilio.ts"

const numbers = { to: "+14155550101", from: "+14155550100" }

const waits = { callee: (): FakeTwilio.Callee => ({ _tag: "Waits" }) }

/** How long something took depends on the machine. */
const answersOf = (measured: ReadonlyArray<Measuring.Measurement>) =>
  Object.fromEntries(measured.map(({ answer, question }) => [question, answer.replaceAll(/\d+ ms/g, "N ms")]))

describe.concurrent("scripts/live", () => {
  it.live("twilio.ts says what Twilio does, and leaves no call behind", () =>
    Effect.gen(function*() {
      const { accountSid, authToken, calls, url } = yield* FakeTwilio.FakeTwilio
      const measured = yield* Effect.promise(() => Twilio.measure({ accountSid, authToken, apiUrl: url }, numbers))
      assert.deepStrictEqual(answersOf(measured), {
        "Request for a call": "status 201, call queued, N ms",
        "queue_time of a call alone": "N ms",
        "Until the list has a new call": "N ms",
        "The same with a filter by StartTime": "N ms",
        "Until it rings": "N ms",
        "A filter by StartTime hides a ringing call": "no",
        "Status=completed for a ringing call": "status 200",
        "Until it has ended": "N ms, as canceled",
        "Status=completed again": "status 400, error 21220",
        "queue_time of two calls at once": "N ms, N ms",
        "Status=completed right after the request": "canceled, canceled"
      })
      assert.isTrue(calls.length === 3 && calls.every(({ endedAt }) => endedAt !== undefined))
    }).pipe(Effect.provide(CheckedTwilio.layer(waits))))

  it.live("telnyx.ts says what Telnyx does, and leaves no call behind", () =>
    Effect.gen(function*() {
      const { apiKey, calls, connectionId, url } = yield* FakeTelnyx.FakeTelnyx
      const measured = yield* Effect.promise(() => Telnyx.measure({ apiKey, connectionId, apiUrl: url }, numbers))
      const answers = answersOf(measured)
      assert.deepStrictEqual(
        {
          again: answers["The same command_id again"],
          listed: answers["Calls in active_calls with our client_state"],
          metadata: answers["metadata has call_control_id and client_state"],
          ended: answers["Until call_events has call.hangup"],
          repeated: answers["Hang-up again"],
          unknown: answers["Status of an unknown call"],
          left: answers["Calls that still lived at the end, and were hung up"]
        },
        {
          again: "status 200, the same call",
          listed: "1",
          metadata: "yes",
          ended: "N ms",
          repeated: "status 422, error 90018 Call has already ended",
          unknown: "status 404, error 10005 Resource not found",
          left: "0"
        }
      )
      assert.lengthOf(calls, 1)
      assert.notInclude(Measuring.table(measured), numbers.to)
    }).pipe(Effect.provide(FakeTelnyx.FakeTelnyx.layer(waits))))

  /** Answers at once; the first callback is sent again, one comes twice, and one comes late. */
  const answering = {
    callee: (): FakeTwilio.Callee => ({ _tag: "Talks", says: [] }),
    timings: { verdict: 1 },
    delivery: (_: unknown, progress: FakeTwilio.Progress): FakeTwilio.Delivery =>
      progress === "answered" ? "doubled" : "sent"
  }

  /** Which events came, in their order. */
  const eventsOf = (answer = "") => answer.split("; ").map((one) => one.split(" ")[0])

  it.live("twilio.ts says how callbacks come", () =>
    Effect.gen(function*() {
      const { accountSid, authToken, calls, url } = yield* FakeTwilio.FakeTwilio
      const port = yield* Effect.scoped(FreePort.listen(createServer()))
      const reachable = { port, publicUrl: `http://127.0.0.1:${port}` }
      const account = { accountSid, authToken, apiUrl: url }
      const { "Callbacks, as they came (dated by the second)": came, ...answers } = answersOf(
        yield* Effect.promise(() => Twilio.measureCallbacks(account, numbers, reachable))
      )
      const events = ["initiated", "initiated", "ringing", "in-progress", "in-progress", "completed"]
      assert.deepStrictEqual(eventsOf(came), events)
      assert.deepStrictEqual(answers, {
        "Callbacks in the order of their events": "yes",
        "Callback that was answered with 500 again": "after N ms",
        "Callbacks again that were accepted": "1",
        "Signature": "of the address without its fragment",
        "Verdict on who answered, after the callback of the answer": "human after N ms"
      })
      assert.deepStrictEqual(calls.map(({ status }) => status), ["completed"])
    }).pipe(Effect.provide(CheckedTwilio.layer(answering))), 120_000)

  it.live("telnyx.ts says how webhooks come", () =>
    Effect.gen(function*() {
      const { apiKey, calls, connectionId, publicKey, url } = yield* FakeTelnyx.FakeTelnyx
      const port = yield* Effect.scoped(FreePort.listen(createServer()))
      const reachable = { port, publicKey, publicUrl: `http://127.0.0.1:${port}` }
      const account = { apiKey, connectionId, apiUrl: url }
      const { "Webhooks, as they came": came, ...answers } = answersOf(
        yield* Effect.promise(() => Telnyx.measureCallbacks(account, numbers, reachable))
      )
      const events = ["call.initiated", "call.initiated", "call.answered", "call.answered"]
      assert.deepStrictEqual(eventsOf(came), [...events, "call.machine.premium.detection.ended", "call.hangup"])
      assert.deepStrictEqual(answers, {
        "Webhooks in the order of their events": "yes",
        "Webhook that was answered with 500 again": "after N ms",
        "Webhooks again that were accepted": "1",
        "Webhooks with a valid signature": "6 of 6",
        "Verdict on who answered, after the webhook of the answer": "human_residence after N ms"
      })
      assert.isTrue(calls.every(({ endedAt }) => endedAt !== undefined))
    }).pipe(Effect.provide(FakeTelnyx.FakeTelnyx.layer(answering))), 120_000)

  /** Runs a script, and does not agree. */
  const declined = (script: string, env: Readonly<Record<string, string>>) =>
    Effect.callback<{ readonly code: unknown; readonly stdout: string }>((resume) => {
      const child = execFile(
        process.execPath,
        [`scripts/live/${script}`, "--to", numbers.to, "--from", numbers.from],
        { timeout: 50_000, env: { ...process.env, ...env } },
        (error, stdout) => resume(Effect.succeed({ code: error?.code, stdout }))
      )
      child.stdin?.end("no\n")
    })

  it.live("twilio.ts says what it costs, and places no call before you agree", () =>
    Effect.gen(function*() {
      const { accountSid, authToken, requests, url } = yield* FakeTwilio.FakeTwilio
      const account = { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_API_URL: url }
      const { code, stdout } = yield* declined("twilio.ts", account)
      assert.strictEqual(code, 1)
      assert.match(
        stdout,
        /places 3 calls .*--public-url.*0\.014 USD.*https:\/\/www\.twilio\.com.*Prices change.*Type yes to start/su
      )
      assert.isEmpty(requests)
    }).pipe(Effect.provide(CheckedTwilio.layer(waits))), 120_000)

  it.live("telnyx.ts says what it costs, and places no call before you agree", () =>
    Effect.gen(function*() {
      const { apiKey, connectionId, requests, url } = yield* FakeTelnyx.FakeTelnyx
      const account = { TELNYX_API_KEY: apiKey, TELNYX_CONNECTION_ID: connectionId, TELNYX_API_URL: url }
      const { code, stdout } = yield* declined("telnyx.ts", account)
      assert.strictEqual(code, 1)
      assert.match(stdout, /places .*--public-url.*USD.*https:\/\/telnyx\.com.*Prices change.*Type yes to start/su)
      assert.isEmpty(requests)
    }).pipe(Effect.provide(FakeTelnyx.FakeTelnyx.layer(waits))), 120_000)
})
