/** Whole calls over a fake Telnyx: what rings, what is said, and how the calls end. */
import { assert, describe, it } from "@effect/vitest"
import { TextAgent } from "@outdial/core"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { Effect } from "effect"
import * as BadInputCases from "../fake/BadInputCases.ts"
import * as CallCases from "../fake/CallCases.ts"
import * as CarrierEngine from "../fake/CarrierEngine.ts"
import { eventually } from "../fake/CarrierEngine.ts"
import * as TransferCases from "../fake/TransferCases.ts"
import * as TelnyxEngine from "./TelnyxEngine.ts"

/** The contact answers after the line knows that the agent has finished: 330 ms to the first sound, and 400 ms of grace. */
const telnyxWith = (options: FakeTelnyx.FakeTelnyxOptions = {}) =>
  Effect.provide(FakeTelnyx.FakeTelnyx.layer({ timings: { reply: 1_200 }, ...options }))

const waits: FakeTelnyx.FakeTelnyxOptions = { callee: () => ({ _tag: "Waits" }) }

CallCases.run("Telnyx", {
  fake: FakeTelnyx.FakeTelnyx,
  layer: (behaviour) => FakeTelnyx.FakeTelnyx.layer({ timings: { reply: 1_200 }, ...behaviour }),
  open: TelnyxEngine.open,
  dial: /^POST \/v2\/calls$/
})

TransferCases.run("Telnyx", {
  fake: FakeTelnyx.FakeTelnyx,
  layer: ({ callee }) => FakeTelnyx.FakeTelnyx.layer({ timings: { reply: 1_200 }, callee }),
  openWith: TelnyxEngine.openWith,
  stopRecording: /\/actions\/record_stop$/,
  hangUp: /\/actions\/hangup$/,
  // Should Telnyx not end the contact's call with the other one.
  hangUpsAfter: 1
})

const saidBy: Readonly<Record<BadInputCases.Said, readonly [type: string, payload?: Record<string, string>]>> = {
  initiated: ["call.initiated"],
  answered: ["call.answered"],
  busy: ["call.hangup", { hangup_cause: "user_busy", sip_hangup_cause: "486" }],
  no_answer: ["call.hangup", { hangup_cause: "no_answer", sip_hangup_cause: "487" }],
  completed: ["call.hangup", { hangup_cause: "normal_clearing", sip_hangup_cause: "200" }]
}

BadInputCases.run("Telnyx", {
  fake: FakeTelnyx.FakeTelnyx,
  layer: ({ callee }) => FakeTelnyx.FakeTelnyx.layer({ timings: { reply: 1_200 }, callee }),
  open: TelnyxEngine.open,
  callbackOf: (call: FakeTelnyx.FakeCall, said, id = call.id) =>
    Effect.map(FakeTelnyx.FakeTelnyx, ({ sign, webhookOf }) => {
      const [type, payload] = saidBy[said]
      const body = webhookOf(call, type, { ...payload, call_control_id: id })
      return { url: call.request.webhook_url ?? "", body, headers: sign(body) }
    }),
  otherId: "v3:other",
  hangUp: (id) => `POST /v2/calls/${encodeURIComponent(id)}/actions/hangup`,
  relayOf: (call) => {
    const setup = { type: "setup", sessionId: "1", callSid: call.id, callControlId: call.id }
    return Effect.succeed({ url: call.request.conversation_relay_config?.url ?? "", headers: {}, setup })
  }
})

describe.concurrent("a call over Telnyx", () => {
  it.live("is voicemail also when the greeting has no end, and the callee's side hangs up", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const host = yield* TelnyxEngine.open
      const { id } = yield* CarrierEngine.start(host, "+14155550107")
      const call = yield* eventually(() => telnyx.calls.find(({ answeredBy }) => answeredBy === "machine"))
      yield* eventually(() => telnyx.callbacks.find(({ progress }) => progress === "verdict"))
      yield* telnyx.end(call.id)
      const { answeredBy, status, statusCode } = yield* CarrierEngine.ended(host, id)
      assert.deepStrictEqual([status, statusCode, answeredBy], ["no_answer", "voicemail", "voicemail"])
    }).pipe(telnyxWith({ timings: { greeting: 60_000 } })))

  it.live("is one call when a proxy asks twice, and another one that names it is hung up at its first webhook", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const host = yield* TelnyxEngine.open
      telnyx.fail("twin")
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => telnyx.calls.find(({ status }) => status === "ringing"))
      assert.lengthOf(telnyx.calls, 1)
      assert.strictEqual(call.request.command_id?.split(" ")[0], id)
      assert.isFalse(call.request.retry_on_timeout)
      // As after a minute: Telnyx does not know the `command_id` any more.
      const { command_id: _, ...again } = call.request
      yield* Effect.promise(() =>
        fetch(`${telnyx.url}/v2/calls`, {
          method: "POST",
          headers: { authorization: `Bearer ${telnyx.apiKey}` },
          body: JSON.stringify(again)
        })
      )
      const twin = yield* eventually(() => telnyx.calls[1])
      yield* eventually(() => twin.endedAt)
      assert.deepStrictEqual([twin.status, call.status], ["canceled", "ringing"])
      yield* telnyx.end(call.id)
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "no_answer")
    }).pipe(telnyxWith(waits)))
})

/** Asks for a transfer after each words of the contact, and goes on if that is not possible. */
const persistent = TextAgent.TextAgent.layerOf(async function*({ input }) {
  if (input._tag === "Opening") return yield { _tag: "Say", text: "Hello, this is Ada." }
  if (input._tag === "NotTransferred") return yield { _tag: "Say", text: "Nobody is there." }
  yield { _tag: "Say", text: "I put you through." }
  yield { _tag: "Transfer", to: "reception" }
})

const reception = "+14155550190"

const transferringWith = (callee: FakeTelnyx.Callee) =>
  telnyxWith({
    // The contact has more to say, and must not say it before the transfer has ended the session, also on a busy machine.
    timings: { reply: 3_000 },
    callee: (to) => to === reception ? callee : { _tag: "Talks", says: ["A person, please.", "Try again."] }
  })

describe.concurrent("a transfer at Telnyx", () => {
  const opened = Effect.gen(function*() {
    const telnyx = yield* FakeTelnyx.FakeTelnyx
    const host = yield* TelnyxEngine.openWith({
      textAgent: persistent,
      transferNumbers: [{ name: "reception", number: reception }]
    })
    const { id } = yield* CarrierEngine.start(host, "+14155550101")
    const call = yield* eventually(() => telnyx.calls.find(({ status }) => status === "in-progress"))
    /** The call to the number, once its phone rings. */
    const other = (count: number) =>
      eventually(() => {
        const found = telnyx.calls.filter(({ to }) => to === reception)
        return found.length === count && found.at(-1)?.status === "ringing" ? found.at(-1) : undefined
      })
    const send = (body: string) =>
      Effect.promise(() => fetch(call.request.webhook_url ?? "", { method: "POST", body, headers: telnyx.sign(body) }))
    const asked = (action: string) => telnyx.requests.filter((request) => request.endsWith(action)).length
    return { telnyx, host, id, call, other, send, asked }
  })

  it.live("outlives old and repeated webhooks, fails and is tried again, and ends with the contact's call", () =>
    Effect.gen(function*() {
      const { asked, call, host, id, other, send, telnyx } = yield* opened
      const first = yield* other(1)
      const { client_state = "" } = call.request
      for (const reason of ["end", "customer_disconnect"]) {
        yield* send(telnyx.webhookOf(call, "call.conversation.ended", { reason, client_state }))
      }
      assert.deepStrictEqual([call.status, first.status], ["in-progress", "ringing"])
      assert.strictEqual(asked("/conversation_relay_start"), 0)
      yield* telnyx.end(first.id)
      yield* send(telnyx.webhookOf(first, "call.hangup", { hangup_cause: "user_busy" }))
      assert.strictEqual(asked("/conversation_relay_start"), 1)
      // The session before the transfer is over, and its contact talks in the next one.
      yield* send(telnyx.webhookOf(call, "call.conversation.ended", { reason: "end", client_state }))
      assert.strictEqual(asked("/actions/hangup"), 0)
      const second = yield* other(2)
      assert.deepStrictEqual(call.words.map(({ text }) => text), [
        "Hello, this is Ada.",
        "A person, please.",
        "I put you through.",
        "Nobody is there.",
        "Try again.",
        "I put you through."
      ])
      yield* telnyx.end(call.id)
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "completed")
      assert.strictEqual(second.status, "canceled")
      // As if the phone still rang.
      yield* send(telnyx.webhookOf(second, "call.answered"))
      assert.strictEqual(asked(`/${encodeURIComponent(second.id)}/actions/hangup`), 1)
      assert.deepStrictEqual(telnyx.calls.map(({ from }) => from), Array(3).fill(CarrierEngine.callerId))
    }).pipe(transferringWith({ _tag: "Waits", isBusy: true })))

  it.live("that Telnyx refuses leaves the conversation as it is", () =>
    Effect.gen(function*() {
      const { asked, call, telnyx } = yield* opened
      telnyx.account.credit = "0.00"
      yield* eventually(() => call.words.find(({ text }) => text === "Nobody is there."))
      assert.deepStrictEqual([asked("/actions/transfer"), asked("/conversation_relay_start")], [1, 0])
      assert.deepStrictEqual([call.status, call.transfers], ["in-progress", []])
    }).pipe(transferringWith({ _tag: "Waits" })))
})

/** Sends `call.initiated`, as of Telnyx's time `at`, for a call that was to be placed by `by`; returns the answer's status. */
const sendInitiated =
  (telnyx: FakeTelnyx.FakeTelnyx["Service"], call: FakeTelnyx.FakeCall) =>
  ({ at, by }: { readonly by: number; readonly at: number }) =>
    Effect.promise(async () => {
      const state = JSON.parse(Buffer.from(call.request.client_state ?? "", "base64").toString())
      const client_state = Buffer.from(JSON.stringify({ ...state, by })).toString("base64")
      const { data, ...rest } = JSON.parse(telnyx.webhookOf(call, "call.initiated", { client_state }))
      const body = JSON.stringify({ ...rest, data: { ...data, occurred_at: new Date(at).toISOString() } })
      const headers = telnyx.sign(body)
      return (await fetch(call.request.webhook_url ?? "", { method: "POST", body, headers })).status
    })

describe.concurrent("webhooks of Telnyx", () => {
  it.live("start one relay when the loss of a socket is reported again, later than Telnyx knows the command", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const host = yield* TelnyxEngine.open
      yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => telnyx.calls.find(({ words }) => words.length > 0))
      const starts = () => telnyx.requests.filter((request) => request.endsWith("/actions/conversation_relay_start"))
      telnyx.cutSocket(call.id)
      yield* eventually(() => telnyx.callbacks.find(({ progress }) => progress === "session_ended"))
      assert.lengthOf(starts(), 1)
      // Another id stands for a command that Telnyx has forgotten.
      const { client_state = "" } = call.request
      const body = telnyx.webhookOf(call, "call.conversation.ended", { reason: "customer_disconnect", client_state })
      const { status } = yield* Effect.promise(() =>
        fetch(call.request.webhook_url ?? "", { method: "POST", body, headers: telnyx.sign(body) })
      )
      assert.strictEqual(status, 200)
      assert.lengthOf(starts(), 1)
      assert.strictEqual(call.status, "in-progress")
    }).pipe(telnyxWith({ callee: () => ({ _tag: "Talks", says: [] }) })))

  it.live("hang up a phone that rings late, by Telnyx's time and not by that of the webhook", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const host = yield* TelnyxEngine.open
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => telnyx.calls.find(({ status }) => status === "ringing"))
      const send = sendInitiated(telnyx, call)
      const now = Date.now()
      assert.strictEqual(yield* send({ by: now - 90_000, at: now - 70_000 }), 200)
      assert.strictEqual(call.status, "ringing")
      assert.strictEqual(yield* send({ by: now - 90_000, at: now }), 200)
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "no_answer")
      assert.strictEqual(call.status, "canceled")
    }).pipe(telnyxWith(waits)))

  it.live("hang up no call that was answered", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const host = yield* TelnyxEngine.open
      yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => telnyx.calls.find(({ words }) => words.length > 0))
      const now = Date.now()
      assert.strictEqual(yield* sendInitiated(telnyx, call)({ by: now - 90_000, at: now }), 200)
      assert.strictEqual(call.status, "in-progress")
    }).pipe(telnyxWith({ callee: () => ({ _tag: "Talks", says: [] }) })))

  it.live("are refused with one response when the signature, the token or the call is not ours, and change nothing", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const host = yield* TelnyxEngine.open
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => telnyx.calls.find(({ status }) => status === "ringing"))
      const url = call.request.webhook_url ?? ""
      const send = (url: string, body: string, headers = telnyx.sign(body)) =>
        Effect.promise(async () => {
          const response = await fetch(url, { method: "POST", body, headers })
          return [response.status, await response.text()] as const
        })
      const body = telnyx.webhookOf(call, "call.hangup", { hangup_cause: "user_busy" })
      const [, token = ""] = /\/([^/]*)$/.exec(url) ?? []
      const forged = `${token.slice(0, -2)}${token.at(-2) === "A" ? "B" : "A"}${token.slice(-1)}`
      const state = JSON.parse(Buffer.from(call.request.client_state ?? "", "base64").toString())
      const ofOther = { ...state, callId: state.callId.replace(/.$/, (last: string) => last === "0" ? "1" : "0") }
      const other = Buffer.from(JSON.stringify(ofOther)).toString("base64")
      const relayToken = call.request.conversation_relay_config?.url.split("/").at(-1) ?? ""
      const { "telnyx-signature-ed25519": _, ...unsigned } = telnyx.sign(body)
      const refusals = [
        yield* send(url, body, { ...unsigned, "telnyx-signature-ed25519": "forged" }),
        yield* send(url, body, unsigned as Record<string, string>),
        yield* send(url, `${body} `, telnyx.sign(body)),
        yield* send(url, body, telnyx.sign(body, new Date(Date.now() - 400_000))),
        yield* send(url.replace(token, forged), body),
        yield* send(url.replace(token, relayToken), body),
        yield* send(url, telnyx.webhookOf(call, "call.hangup", { client_state: other }))
      ]
      assert.deepStrictEqual(new Set(refusals.map(([status, body]) => `${status} ${body}`)).size, 1)
      assert.strictEqual(refusals[0]?.[0], 403)
      // Genuine ones that cannot be understood: cut, without a call, and of a call without our state.
      assert.strictEqual((yield* send(url, body.slice(0, -20)))[0], 400)
      assert.strictEqual((yield* send(url, "{\"data\":{}}"))[0], 400)
      assert.strictEqual((yield* send(url, telnyx.webhookOf(call, "call.hangup", { client_state: null })))[0], 400)
      assert.strictEqual((yield* send(url, "x".repeat(2_000_000)))[0], 413)
      assert.strictEqual((yield* send(url, telnyx.webhookOf(call, "call.something.new")))[0], 200)
      assert.strictEqual((yield* Effect.promise(() => host.engine.calls.get(id))).status, "dialing")
      // They may come twice and late.
      yield* telnyx.end(call.id)
      const ended = yield* CarrierEngine.ended(host, id)
      assert.strictEqual((yield* send(url, telnyx.webhookOf(call, "call.answered")))[0], 200)
      assert.strictEqual((yield* send(url, body))[0], 200)
      assert.deepStrictEqual(yield* CarrierEngine.ended(host, id), ended)
      const parts = [{ call_part: "sip-trunking", cost: "0.005", currency: "USD" }, {
        call_part: "amd",
        cost: "0.0065"
      }]
      const charged = telnyx.webhookOf(call, "call.cost", {
        total_cost: "0.0115",
        cost_parts: parts,
        status: "success"
      })
      assert.strictEqual((yield* send(url, charged))[0], 200)
      const { cost } = yield* CarrierEngine.ended(host, id)
      assert.deepStrictEqual(cost, { amount: "0.0115", currency: "USD" })
      // That of a call to a transfer number is not part of it.
      const ofTransfer = telnyx.webhookOf(call, "call.cost", {
        client_state: Buffer.from(JSON.stringify({ ...state, contact: call.id })).toString("base64"),
        total_cost: "0.5",
        cost_parts: parts,
        status: "success"
      })
      assert.strictEqual((yield* send(url, ofTransfer))[0], 200)
      assert.deepStrictEqual((yield* CarrierEngine.ended(host, id)).cost, cost)
    }).pipe(telnyxWith(waits)))

  it.live("open no conversation for a socket without our token, of another call, or that speaks before it says which call it is", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const host = yield* TelnyxEngine.open
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => telnyx.calls.find(({ status }) => status === "ringing"))
      const relay = call.request.conversation_relay_config?.url ?? ""
      const setup = { type: "setup", sessionId: "1", callSid: call.id, callControlId: call.id }
      const events = call.request.webhook_url?.split("/").at(-1) ?? ""
      assert.strictEqual(
        yield* CarrierEngine.closedWith(relay.replace(/relay\/.*/, `relay/${events}`), {}, setup),
        1006
      )
      assert.strictEqual(yield* CarrierEngine.closedWith(`${relay}x`, {}, setup), 1006)
      const prompt = { type: "prompt", voicePrompt: "Hi", last: true }
      assert.strictEqual(yield* CarrierEngine.closedWith(relay, {}, prompt, setup), 1008)
      assert.strictEqual(yield* CarrierEngine.closedWith(relay, {}, { ...setup, callSid: "", callControlId: "" }), 1008)
      // The id of the call is known by then: another one is a twin.
      assert.strictEqual(yield* CarrierEngine.closedWith(relay, {}, { ...setup, callControlId: "v3:other" }), 1000)
      assert.strictEqual((yield* Effect.promise(() => host.engine.calls.get(id))).status, "dialing")
    }).pipe(telnyxWith(waits)))

  it.live("end the call when the relay has ended for another reason than the loss of its socket", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const host = yield* TelnyxEngine.open
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const call = yield* eventually(() => telnyx.calls.find(({ words }) => words.length > 0))
      const body = telnyx.webhookOf(call, "call.conversation.ended", { reason: "connection_failed" })
      const headers = telnyx.sign(body)
      yield* Effect.promise(() => fetch(call.request.webhook_url ?? "", { method: "POST", body, headers }))
      yield* CarrierEngine.ended(host, id)
      assert.isDefined(call.endedAt)
    }).pipe(telnyxWith({ callee: () => ({ _tag: "Talks", says: [] }) })))
})
