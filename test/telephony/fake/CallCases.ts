/** Whole calls over a fake carrier: what rings, what is said, and how the calls end. The same for every carrier. */
import { assert, describe, it } from "@effect/vitest"
import type { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, type Layer, type Scope } from "effect"
import * as CarrierEngine from "./CarrierEngine.ts"
import { eventually } from "./CarrierEngine.ts"

/** What the cases need of a fake. */
interface Fake {
  readonly calls: ReadonlyArray<
    Pick<FakeTwilio.FakeCall, "answeredBy" | "endedAt" | "from" | "id" | "status" | "to" | "words">
  >
  readonly callbacks: ReadonlyArray<{ readonly progress: FakeTwilio.Progress; readonly answer: number }>
  readonly requests: ReadonlyArray<string>
  readonly fail: (fault: FakeTwilio.Fault) => void
  readonly cutSocket: (id: string) => void
  readonly end: (id: string) => Effect.Effect<void>
}

/** How the fake behaves in a case. */
interface Behaviour {
  readonly callee?: (to: string) => FakeTwilio.Callee
  readonly delivery?: (call: { readonly to: string }, progress: FakeTwilio.Progress) => FakeTwilio.Delivery
}

type Host = Effect.Success<ReturnType<typeof CarrierEngine.open>>

export interface Subject<I> {
  readonly fake: Effect.Effect<Fake, never, I>
  readonly layer: (behaviour: Behaviour) => Layer.Layer<I>
  readonly open: Effect.Effect<Host, never, I | Scope.Scope>
  /** The request for a call, as the fake notes it. */
  readonly dial: RegExp
}

const faults = [
  ["its response is lost", "response_lost"],
  ["a proxy answers with an error", "error_500"],
  ["a proxy answers with a page", "html"],
  ["the response has status 200 and an error inside", "error_200"],
  ["its response is cut", { cutAfter: 40 }],
  ["its request arrives, and the connection is lost", { cutRequestAfter: 100_000 }],
  ["it waits in a queue", { ringsAfter: 300 }]
] as const

const waits: Behaviour = { callee: () => ({ _tag: "Waits" }) }

export const run = <I>(carrier: string, { dial, fake: theFake, layer, open }: Subject<I>): void => {
  const dialsOf = ({ requests }: Fake) => requests.filter((request) => dial.test(request)).length

  const on = (behaviour: Behaviour = {}) => Effect.provide(layer(behaviour))

  /** A call to the number, once it has ended, after the fault of its request. */
  const called = Effect.fnUntraced(function*(number: string, fault?: FakeTwilio.Fault) {
    const fake = yield* theFake
    const host = yield* open
    if (fault !== undefined) fake.fail(fault)
    const { id } = yield* CarrierEngine.start(host, number)
    return { fake, host, id, ended: yield* CarrierEngine.ended(host, id) }
  })

  describe.concurrent(`a call over ${carrier}`, () => {
    it.live("rings once, is talked through, and ends with what was said", () =>
      Effect.gen(function*() {
        const { ended: { answeredBy, outcome, status }, fake } = yield* called("+14155550101")
        assert.deepStrictEqual([status, answeredBy], ["completed", "human"])
        const [call, ...others] = fake.calls
        assert.isDefined(call)
        assert.isEmpty(others)
        assert.deepStrictEqual([call.to, call.from], ["+14155550101", CarrierEngine.callerId])
        assert.deepStrictEqual(outcome?.transcript.map(CarrierEngine.wordsOf), call.words.map(CarrierEngine.wordsOf))
        assert.deepStrictEqual(outcome?.answers, { "Will you come on Tuesday?": "Yes, that suits me." })
        assert.strictEqual(dialsOf(fake), 1)
        assert.isTrue(fake.callbacks.every(({ answer }) => answer === 200 || answer === 204))
      }).pipe(on()))

    for (const [digit, status] of [["5", "busy"], ["6", "no_answer"]] as const) {
      it.live(`ends as ${status} when nobody answers`, () =>
        Effect.gen(function*() {
          assert.strictEqual((yield* called(`+1415555010${digit}`)).ended.status, status)
        }).pipe(on()))
    }

    it.live("leaves its message for a machine after the greeting, and is not completed", () =>
      Effect.gen(function*() {
        const { ended: { answeredBy, status, statusCode }, fake } = yield* called("+14155550107")
        assert.deepStrictEqual([status, statusCode, answeredBy], ["no_answer", "voicemail", "voicemail"])
        assert.strictEqual(fake.calls[0]?.words.at(-1)?.text, CarrierEngine.agent.voicemailMessage)
      }).pipe(on()))

    it.live("is voicemail when the verdict comes late, while the agent talks", () =>
      Effect.gen(function*() {
        const { ended: { answeredBy, status, statusCode }, fake } = yield* called("+14155550107")
        assert.deepStrictEqual([status, statusCode, answeredBy], ["no_answer", "voicemail", "voicemail"])
        assert.strictEqual(fake.calls[0]?.words.at(-1)?.text, CarrierEngine.agent.voicemailMessage)
      }).pipe(on({
        delivery: (_, progress) => progress === "verdict" || progress === "greeting_ended" ? { late: 800 } : "sent"
      })))

    it.live("ends as the contact ends it", () =>
      Effect.gen(function*() {
        const { ended: { outcome, status } } = yield* called("+14155550108")
        assert.strictEqual(status, "completed")
        const said = outcome?.transcript.filter(({ speaker }) => speaker === "contact").map(({ text }) => text)
        assert.deepStrictEqual(said, ["Hello.", "I have to go."])
      }).pipe(on()))

    it.live("continues on another socket when the first one is lost, and says nothing twice", () =>
      Effect.gen(function*() {
        const fake = yield* theFake
        const host = yield* open
        const { id } = yield* CarrierEngine.start(host, "+14155550101")
        const call = yield* eventually(() => fake.calls[0])
        yield* eventually(() => call.words.find(({ speaker }) => speaker === "contact"))
        fake.cutSocket(call.id)
        const { outcome, status } = yield* CarrierEngine.ended(host, id)
        assert.strictEqual(status, "completed")
        assert.deepStrictEqual(outcome?.answers, { "Will you come on Tuesday?": "Yes, that suits me." })
        assert.strictEqual(outcome?.transcript.filter(({ text }) => text.includes("Ada about your visit")).length, 1)
        assert.strictEqual(dialsOf(fake), 1)
      }).pipe(on()))

    for (const [name, fault] of faults) {
      it.live(`rings once, and is found by its callbacks, when ${name}`, () =>
        Effect.gen(function*() {
          const { ended, fake } = yield* called("+14155550105", fault)
          assert.deepStrictEqual([ended.status, dialsOf(fake), fake.calls.length], ["busy", 1, 1])
        }).pipe(on()))
    }

    it.live("is asked for again only when nothing can have rung", () =>
      Effect.gen(function*() {
        const { ended, fake } = yield* called("+14155550105", "too_many")
        assert.deepStrictEqual([ended.status, dialsOf(fake), fake.calls.length], ["busy", 2, 1])
      }).pipe(on()), 120_000)

    it.live(`ends as failed when ${carrier} refuses it`, () =>
      Effect.gen(function*() {
        const { ended: { status, statusCode }, fake } = yield* called("+14155550101", "refused")
        assert.deepStrictEqual([status, statusCode, dialsOf(fake)], ["failed", "carrier_refused", 1])
      }).pipe(on()))

    it.live(`is hung up at ${carrier} when it is asked to`, () =>
      Effect.gen(function*() {
        const fake = yield* theFake
        const host = yield* open
        const { id } = yield* CarrierEngine.start(host, "+14155550101")
        const call = yield* eventually(() => fake.calls.find(({ status }) => status === "ringing"))
        yield* Effect.promise(() => host.engine.calls.hangUp(id))
        const { status } = yield* CarrierEngine.ended(host, id)
        assert.deepStrictEqual([status, call.status], ["no_answer", "canceled"])
      }).pipe(on(waits)))

    it.live("ends the same when its callbacks come twice, late and in another order, and some are lost", () =>
      Effect.gen(function*() {
        const fake = yield* theFake
        const host = yield* open
        const numbers = ["+14155550115", "+14155550125", "+14155550116", "+14155550126"]
        const started = yield* Effect.forEach(numbers, (number) => CarrierEngine.start(host, number))
        const ended = yield* Effect.forEach(started, ({ id }) => CarrierEngine.ended(host, id))
        assert.deepStrictEqual(ended.map(({ status }) => status), ["busy", "busy", "no_answer", "no_answer"])
        const begins = () => fake.callbacks.filter(({ progress }) => progress === "initiated")
        // Two, one late, none, and one.
        yield* eventually(() => begins().length === 4 ? true : undefined)
        assert.deepStrictEqual(yield* Effect.forEach(started, ({ id }) => CarrierEngine.ended(host, id)), ended)
        assert.isTrue(fake.callbacks.every(({ answer }) => answer === 200 || answer === 204))
        assert.isTrue(fake.calls.every(({ status }) => status === "busy" || status === "no-answer"))
      }).pipe(on({
        delivery: ({ to }, progress) => {
          if (to.endsWith("15")) return "doubled"
          if (to.endsWith("25")) return progress === "initiated" ? { late: 500 } : "sent"
          return to.endsWith("16") && progress === "initiated" ? "lost" : "sent"
        }
      })))
  })
}
