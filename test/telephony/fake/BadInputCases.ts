/** Callbacks and sockets that contradict each other, come twice, or are cut or huge. The same for every carrier. */
import { assert, describe, it } from "@effect/vitest"
import type { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, type Layer, type Scope } from "effect"
import { request } from "node:http"
import * as CarrierEngine from "./CarrierEngine.ts"
import { eventually } from "./CarrierEngine.ts"

/** What the cases need of a call at a fake. */
type Call = Pick<FakeTwilio.FakeCall, "endedAt" | "id" | "status" | "to" | "words">

/** What a genuine callback says of a call. */
export type Said = "initiated" | "answered" | "busy" | "no_answer" | "completed"

export interface Callback {
  readonly url: string
  readonly body: string
  readonly headers: Record<string, string>
}

export interface Subject<I, C extends Call> {
  readonly fake: Effect.Effect<
    {
      readonly calls: ReadonlyArray<C>
      readonly requests: ReadonlyArray<string>
      readonly end: (id: string) => Effect.Effect<void>
    },
    never,
    I
  >
  readonly layer: (options: { readonly callee: () => FakeTwilio.Callee }) => Layer.Layer<I>
  readonly open: Effect.Effect<Effect.Success<ReturnType<typeof CarrierEngine.open>>, never, I | Scope.Scope>
  /** A genuine callback of the call; of the same one under another id of the carrier, if one is given. */
  readonly callbackOf: (call: C, said: Said, id?: string) => Effect.Effect<Callback, never, I>
  /** Another id of the carrier. */
  readonly otherId: string
  /** The request that hangs up the call with this id, as the fake notes it. */
  readonly hangUp: (id: string) => string
  /** The address of the relay's socket, with the headers and the first frame of a genuine one. */
  readonly relayOf: (
    call: C
  ) => Effect.Effect<
    { readonly url: string; readonly headers: Record<string, string>; readonly setup: object },
    never,
    I
  >
}

const post = ({ body, headers, url }: Callback) =>
  Effect.promise(async () => (await fetch(url, { method: "POST", body, headers })).status)

/** Sends the callback with another `Host`, as a proxy may. */
export const postWithHost = ({ body, headers, url }: Callback, host: string) =>
  Effect.callback<number>((resume) => {
    request(url, { method: "POST", headers: { ...headers, host } }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode ?? 0))
    }).end(body)
  })

/** Sends a part of the callback, and closes the connection. */
const cut = ({ body, headers, url }: Callback) =>
  Effect.callback<void>((resume) => {
    const sent = request(url, { method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) } })
    sent.on("error", () => {})
    sent.on("close", () => resume(Effect.void))
    sent.write(body.slice(0, -10), () => sent.destroy())
  })

/** Callbacks that cannot all be true, and the status of the call that it has from the first end on. */
const contradictions: ReadonlyArray<readonly [status: string, ...said: ReadonlyArray<Said>]> = [
  ["no_answer", "answered", "no_answer", "busy"],
  ["no_answer", "completed", "busy", "initiated"],
  ["busy", "busy", "completed", "answered"],
  ["no_answer", "no_answer", "initiated", "completed"]
]

const ends: ReadonlySet<Said> = new Set(["busy", "no_answer", "completed"])

export const run = <I, C extends Call>(
  carrier: string,
  { callbackOf, fake: theFake, hangUp, layer, open, otherId, relayOf }: Subject<I, C>
): void => {
  const waits = Effect.provide(layer({ callee: () => ({ _tag: "Waits" }) }))

  /** A call whose phone rings. */
  const ringing = Effect.fnUntraced(
    function*(host: Effect.Success<ReturnType<typeof CarrierEngine.open>>, number: string) {
      const fake = yield* theFake
      const { id } = yield* CarrierEngine.start(host, number)
      const call = yield* eventually(() => fake.calls.find(({ status, to }) => to === number && status === "ringing"))
      return { id, call }
    }
  )

  describe.concurrent(`callbacks of ${carrier}`, () => {
    it.live("that contradict each other end the call once, as the first end says, and stop its phone", () =>
      Effect.gen(function*() {
        const host = yield* open
        yield* Effect.forEach(contradictions, ([status, ...said], index) =>
          Effect.gen(function*() {
            const { call, id } = yield* ringing(host, `+1415555${2_000 + index}`)
            const first = said.findIndex((one) => ends.has(one))
            for (const one of said.slice(0, first + 1)) {
              assert.isBelow(yield* post(yield* callbackOf(call, one)), 300)
            }
            const ended = yield* CarrierEngine.ended(host, id)
            assert.strictEqual(ended.status, status, said.join(", "))
            for (const one of said.slice(first + 1)) assert.isBelow(yield* post(yield* callbackOf(call, one)), 300)
            const { cost: _, ...after } = yield* CarrierEngine.ended(host, id)
            assert.deepStrictEqual(after, ended, said.join(", "))
            // The phone rings at the carrier, also after a false report: what is live after its end is hung up.
            if (said.slice(first + 1).some((one) => !ends.has(one))) yield* eventually(() => call.endedAt)
            const events = yield* Effect.promise(() => host.engine.events.list({ callId: id }))
            assert.deepStrictEqual(events.items.map(({ type }) => type), ["call.not_connected"], said.join(", "))
          }), { concurrency: "unbounded", discard: true })
      }).pipe(waits))

    it.live("with another id of the carrier are of a second call, which is hung up, and say nothing of ours", () =>
      Effect.gen(function*() {
        const fake = yield* theFake
        const host = yield* open
        const { call, id } = yield* ringing(host, "+14155550101")
        for (const said of ["answered", "completed", "busy"] as const) {
          assert.isBelow(yield* post(yield* callbackOf(call, said, otherId)), 300)
        }
        assert.strictEqual((yield* Effect.promise(() => host.engine.calls.get(id))).status, "dialing")
        assert.strictEqual(call.status, "ringing")
        assert.deepStrictEqual(fake.requests.filter((one) => one === hangUp(otherId)).length, 1)
        assert.isBelow(yield* post(yield* callbackOf(call, "busy")), 300)
        assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "busy")
      }).pipe(waits))

    it.live("that are cut on their way, or huge, change nothing", () =>
      Effect.gen(function*() {
        const host = yield* open
        const { call, id } = yield* ringing(host, "+14155550101")
        const callback = yield* callbackOf(call, "busy")
        yield* cut(callback)
        assert.strictEqual(yield* post({ ...callback, body: "x".repeat(2_000_000) }), 413)
        assert.strictEqual((yield* Effect.promise(() => host.engine.calls.get(id))).status, "dialing")
        // What counts is the public URL.
        assert.isBelow(yield* postWithHost(callback, "elsewhere.example"), 300)
        assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "busy")
      }).pipe(waits))
  })

  describe.concurrent(`a socket of ${carrier}`, () => {
    it.live("for another call opens no conversation", () =>
      Effect.gen(function*() {
        const host = yield* open
        const first = yield* ringing(host, "+14155550101")
        const second = yield* ringing(host, "+14155550102")
        const { headers, url } = yield* relayOf(first.call)
        const { setup } = yield* relayOf(second.call)
        assert.strictEqual(yield* CarrierEngine.closedWith(url, headers, setup), 1000)
        const { status } = yield* Effect.promise(() => host.engine.calls.get(first.id))
        assert.strictEqual(status, "dialing")
        assert.isEmpty(first.call.words)
      }).pipe(waits))

    it.live("that comes twice takes the conversation over, and nothing is said twice", () =>
      Effect.gen(function*() {
        const fake = yield* theFake
        const host = yield* open
        const { id } = yield* CarrierEngine.start(host, "+14155550101")
        const call = yield* eventually(() => fake.calls[0])
        yield* eventually(() => call.words.find(({ text }) => text === "Will you come on Tuesday?"))
        const { headers, setup, url } = yield* relayOf(call)
        // The one before is closed, so that the carrier connects the call again, which closes this one.
        assert.strictEqual(yield* CarrierEngine.closedWith(url, headers, setup), 1000)
        yield* fake.end(call.id)
        const { outcome, status } = yield* CarrierEngine.ended(host, id)
        assert.strictEqual(status, "completed")
        assert.strictEqual(outcome?.transcript.filter(({ text }) => text.includes("Ada about your visit")).length, 1)
      }).pipe(Effect.provide(layer({ callee: () => ({ _tag: "Talks", says: ["Hello."] }) }))))
  })
}
