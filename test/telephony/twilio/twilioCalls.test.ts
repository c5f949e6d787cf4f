/** Whole calls over a fake Twilio: what rings, what is said, and how the calls end. */
import { assert, describe, it } from "@effect/vitest"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, Schedule } from "effect"
import * as BadInputCases from "../fake/BadInputCases.ts"
import * as CallCases from "../fake/CallCases.ts"
import * as CarrierEngine from "../fake/CarrierEngine.ts"
import { eventually } from "../fake/CarrierEngine.ts"
import * as TransferCases from "../fake/TransferCases.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"
import * as TwilioEngine from "./TwilioEngine.ts"

const twilioWith = (options: FakeTwilio.FakeTwilioOptions = {}) => Effect.provide(CheckedTwilio.layer(options))

CallCases.run("Twilio", {
  fake: FakeTwilio.FakeTwilio,
  layer: CheckedTwilio.layer,
  open: TwilioEngine.open,
  dial: /^POST .*\/Calls\.json$/
})

describe.concurrent("a call over Twilio", () => {
  it.live("is one call also when a proxy asks twice: the other one is hung up", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.open
      twilio.fail("twin")
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "completed")
      const statuses = yield* eventually(() => {
        const found = twilio.calls.map(({ status }) => status)
        return found.length === 2 && found.every((status) => ["completed", "canceled"].includes(status))
          ? found
          : undefined
      })
      assert.lengthOf(statuses, 2)
      const talked = twilio.calls.filter(({ words }) => words.length > 0)
      assert.lengthOf(talked, 1)
    }).pipe(twilioWith()))
})

/** Requests with it are of the account; it verifies nothing. */
const apiKey = { sid: `SK${"1".repeat(32)}`, secret: "secret of the key" }

describe.concurrent("a call that is placed with an API key", () => {
  it.live("ends by its callbacks, which the auth token verifies", () => {
    const users = new Set<string | undefined>()
    return Effect.gen(function*() {
      const host = yield* TwilioEngine.openWith({ apiKey })
      const { id } = yield* CarrierEngine.start(host, "+14155550105")
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "busy")
      assert.deepStrictEqual([...users], [apiKey.sid])
    }).pipe(twilioWith({
      apiKey,
      observe: ({ request: { headers } }) => {
        const credentials = Buffer.from(headers.authorization?.split(" ")[1] ?? "", "base64").toString()
        users.add(credentials.split(":")[0])
      }
    }))
  })

  it.live("is not placed when the key is wrong", () =>
    Effect.gen(function*() {
      const { calls } = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.openWith({ apiKey: { ...apiKey, secret: "wrong" } })
      const { id } = yield* CarrierEngine.start(host, "+14155550105")
      const { statusCode } = yield* Effect.promise(() => host.engine.calls.get(id)).pipe(
        Effect.repeat({ until: (call) => call.statusCode === "carrier_paused", schedule: Schedule.spaced("20 millis") })
      )
      assert.deepStrictEqual([statusCode, calls], ["carrier_paused", []])
    }).pipe(twilioWith({ apiKey })))
})

describe("a call that Twilio queues", () => {
  it.live("is canceled at once when it says that it would ring too late", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.open
      twilio.fail({ ringsAfter: 60_000, isAnnounced: true })
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "no_answer")
      assert.deepStrictEqual(twilio.calls.map(({ rangAt, status }) => [status, rangAt]), [["canceled", undefined]])
      // The request that has canceled it is answered then.
      yield* eventually(() => twilio.callbacks.find(({ progress }) => progress === "ended"))
    }).pipe(twilioWith()))
})

TransferCases.run("Twilio", {
  fake: FakeTwilio.FakeTwilio,
  layer: CheckedTwilio.layer,
  openWith: TwilioEngine.openWith,
  stopRecording: /\/Recordings\/Twilio\.CURRENT\.json$/,
  hangUp: /^POST .*\/Calls\/CA[^/]*$/,
  hangUpsAfter: 0
})

const saidOfStatus: Readonly<Record<BadInputCases.Said, string>> = {
  initiated: "initiated",
  answered: "in-progress",
  busy: "busy",
  no_answer: "no-answer",
  completed: "completed"
}

BadInputCases.run("Twilio", {
  fake: FakeTwilio.FakeTwilio,
  layer: CheckedTwilio.layer,
  open: TwilioEngine.open,
  callbackOf: (call: FakeTwilio.FakeCall, said, CallSid = call.id) =>
    Effect.map(FakeTwilio.FakeTwilio, ({ accountSid, sign }) => {
      const [url = ""] = (call.request.get("StatusCallback") ?? "").split("#")
      const Timestamp = new Date().toUTCString()
      const form = new URLSearchParams({ AccountSid: accountSid, CallSid, CallStatus: saidOfStatus[said], Timestamp })
      const headers = { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": sign(url, form) }
      return { url, body: form.toString(), headers }
    }),
  otherId: `CA${"f".repeat(32)}`,
  hangUp: (id) => `POST /2010-04-01/Accounts/AC${"0".repeat(32)}/Calls/${id}.json`,
  relayOf: (call) =>
    Effect.map(FakeTwilio.FakeTwilio, ({ accountSid, sign }) => {
      const url = /ConversationRelay[^>]* url="([^"]*)"/.exec(call.request.get("Twiml") ?? "")?.[1] ?? ""
      const setup = { type: "setup", sessionId: "VX1", accountSid, callSid: call.id }
      return { url, headers: { "x-twilio-signature": sign(url) }, setup }
    })
})

/** Sends a callback of the call's status, as of Twilio's time `at`, for a call that was to be placed by `by`; returns the answer's status. */
const sendStatus = (twilio: FakeTwilio.FakeTwilio["Service"], call: FakeTwilio.FakeCall) =>
(
  { CallStatus, at, by }: { readonly CallStatus: string; readonly by: number; readonly at: number }
) =>
  Effect.promise(async () => {
    const url = (call.request.get("StatusCallback") ?? "").replace(/by=\d+/, `by=${by}`)
    const Timestamp = new Date(at).toUTCString()
    const body = new URLSearchParams({ AccountSid: twilio.accountSid, CallSid: call.id, CallStatus, Timestamp })
    const headers = { "x-twilio-signature": twilio.sign(url, body) }
    return (await fetch(url, { method: "POST", body, headers })).status
  })

describe.concurrent("callbacks of Twilio", () => {
  for (const CallStatus of ["initiated", "ringing"]) {
    it.live(`hang up a phone that rings late, by Twilio's time and not by that of the callback: ${CallStatus}`, () =>
      Effect.gen(function*() {
        const twilio = yield* FakeTwilio.FakeTwilio
        const host = yield* TwilioEngine.open
        const { id } = yield* CarrierEngine.start(host, "+14155550101")
        const call = yield* eventually(() => twilio.calls.find(({ status }) => status === "ringing"))
        const send = sendStatus(twilio, call)
        const now = Date.now()
        assert.strictEqual(yield* send({ CallStatus, by: now - 90_000, at: now - 70_000 }), 204)
        assert.strictEqual(call.status, "ringing")
        assert.strictEqual(yield* send({ CallStatus, by: now - 90_000, at: now }), 204)
        assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "no_answer")
        assert.strictEqual(call.status, "canceled")
      }).pipe(twilioWith({ callee: () => ({ _tag: "Waits" }) })))
  }

  it.live("hang up no call that was answered", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.open
      yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => twilio.calls.find(({ words }) => words.length > 0))
      const now = Date.now()
      assert.strictEqual(
        yield* sendStatus(twilio, call)({ CallStatus: "initiated", by: now - 90_000, at: now }),
        204
      )
      assert.strictEqual(call.status, "in-progress")
    }).pipe(twilioWith({ callee: () => ({ _tag: "Talks", says: [] }) })))

  it.live("open no conversation for a socket that is not Twilio's, has the token of another route, or says nothing", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.open
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => twilio.calls.find(({ status }) => status === "ringing"))
      const relay = /ConversationRelay[^>]* url="([^"]*)"/.exec(call.request.get("Twiml") ?? "")?.[1] ?? ""
      const [, statusToken = ""] = /status\/([^?]*)/.exec(call.request.get("StatusCallback") ?? "") ?? []
      const setup = { type: "setup", sessionId: "VX1", accountSid: twilio.accountSid, callSid: call.id }
      const open = (url: string, signature: string, ...frames: ReadonlyArray<unknown>) =>
        CarrierEngine.closedWith(url, { "x-twilio-signature": signature }, ...frames)
      const other = relay.replace(/relay\/.*/, `relay/${statusToken}`)
      assert.strictEqual(yield* open(relay, "forged", setup), 1006)
      assert.strictEqual(yield* open(other, twilio.sign(other), setup), 1006)
      const signature = twilio.sign(relay)
      assert.strictEqual(yield* open(relay, signature, { type: "prompt", voicePrompt: "Hi", last: true }, setup), 1008)
      assert.strictEqual(yield* open(relay, signature, { ...setup, accountSid: `AC${"1".repeat(32)}` }), 1008)
      assert.strictEqual((yield* Effect.promise(() => host.engine.calls.get(id))).status, "dialing")
    }).pipe(twilioWith({ callee: () => ({ _tag: "Waits" }) })))

  it.live("are refused with one response when the signature, the token or the account is not ours", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.open
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => twilio.calls.find(({ status }) => status === "ringing"))
      const url = call.request.get("StatusCallback") ?? ""
      const form = { AccountSid: twilio.accountSid, CallSid: call.id, CallStatus: "completed", CallDuration: "5" }
      const send = (url: string, form: Record<string, string>, signature?: string) =>
        Effect.promise(async () => {
          const body = new URLSearchParams(form)
          const headers = { "x-twilio-signature": signature ?? twilio.sign(url, body) }
          const response = await fetch(url, { method: "POST", body, headers })
          return [response.status, await response.text()] as const
        })
      const [, token = ""] = /\/([^/?]*)\?/.exec(url) ?? []
      const forged = `${token.slice(0, -2)}${token.at(-2) === "A" ? "B" : "A"}${token.slice(-1)}`
      // Signed for the host that the request names, which is not ours.
      const elsewhere = url.replace(/^http:\/\/[^/]+/, "http://elsewhere.example")
      const body = new URLSearchParams(form)
      const headers = {
        "x-twilio-signature": twilio.sign(elsewhere, body),
        "content-type": "application/x-www-form-urlencoded"
      }
      const named = { url, headers, body: body.toString() }
      assert.strictEqual(yield* BadInputCases.postWithHost(named, "elsewhere.example"), 403)
      const refusals = [
        yield* send(url, form, "forged"),
        yield* send(url, { ...form, CallSid: `CA${"f".repeat(32)}` }, twilio.sign(url, new URLSearchParams(form))),
        yield* send(url.replace(token, forged), form),
        yield* send(url.replace("/status/", "/action/"), form),
        yield* send(url, { ...form, AccountSid: `AC${"1".repeat(32)}` })
      ]
      assert.deepStrictEqual(new Set(refusals.map(([status, body]) => `${status} ${body}`)).size, 1)
      assert.strictEqual(refusals[0]?.[0], 403)
      assert.strictEqual((yield* send(url, { AccountSid: twilio.accountSid, CallSid: "x", CallStatus: "?" }))[0], 400)
      assert.strictEqual((yield* Effect.promise(() => host.engine.calls.get(id))).status, "dialing")
      // Genuine ones may come twice and late.
      yield* twilio.answer(call.id)
      yield* twilio.end(call.id)
      const ended = yield* CarrierEngine.ended(host, id)
      const replayed = { ...form, CallStatus: "ringing" }
      assert.strictEqual((yield* send(url, replayed))[0], 204)
      assert.deepStrictEqual(yield* CarrierEngine.ended(host, id), ended)
    }).pipe(twilioWith({ callee: () => ({ _tag: "Waits" }) })))
})
