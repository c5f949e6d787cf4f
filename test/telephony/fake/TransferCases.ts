/** Transfers over a fake carrier. The same for every carrier that has them. */
import { assert, describe, it } from "@effect/vitest"
import { TextAgent } from "@outdial/core"
import type { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, type Layer, type Scope } from "effect"
import * as CarrierEngine from "./CarrierEngine.ts"

/** What the cases need of a fake. */
interface Fake {
  readonly calls: ReadonlyArray<Pick<FakeTwilio.FakeCall, "transfers" | "words">>
  readonly requests: ReadonlyArray<string>
}

export interface Subject<I> {
  readonly fake: Effect.Effect<Fake, never, I>
  readonly layer: (options: { readonly callee: (to: string) => FakeTwilio.Callee }) => Layer.Layer<I>
  readonly openWith: (
    options: CarrierEngine.Options & { readonly recording: "copy" }
  ) => Effect.Effect<Effect.Success<ReturnType<typeof CarrierEngine.open>>, never, I | Scope.Scope>
  /** The request that stops a recording, as the fake notes it. */
  readonly stopRecording: RegExp
  readonly hangUp: RegExp
  /** How often the carrier is asked to hang up after a transfer that was taken. */
  readonly hangUpsAfter: number
}

/** Transfers the call when the contact says something, and ends it if that is not possible. */
export const transferring = TextAgent.TextAgent.layerOf(async function*({ input }) {
  if (input._tag === "Opening") return yield { _tag: "Say", text: "Hello, this is Ada." }
  if (input._tag === "NotTransferred") {
    yield { _tag: "Say", text: "Nobody is there. Goodbye." }
    return yield { _tag: "End" }
  }
  yield { _tag: "Say", text: "I put you through." }
  yield { _tag: "Transfer", to: "reception" }
})

export const contact: FakeTwilio.Callee = { _tag: "Talks", says: ["I want to talk to a person."] }

const cases = [
  { number: "+14155550190", status: "completed", said: [], summary: "It was transferred to reception." },
  {
    number: "+14155550195",
    status: "busy",
    said: ["Nobody is there. Goodbye."],
    summary: "It could not be transferred to reception."
  }
] as const

export const run = <I>(
  carrier: string,
  { fake: theFake, hangUp, hangUpsAfter, layer, openWith, stopRecording }: Subject<I>
): void => {
  describe.concurrent(`a transfer over ${carrier}`, () => {
    for (const { number, said, status, summary } of cases) {
      it.live(`connects the contact with the agent's number, whose call is ${status}`, () =>
        Effect.gen(function*() {
          const fake = yield* theFake
          const host = yield* openWith({
            textAgent: transferring,
            recording: "copy",
            transferNumbers: [{ name: "reception", number }]
          })
          const { id } = yield* CarrierEngine.start(host, "+14155550101")
          const { outcome, ...ended } = yield* CarrierEngine.ended(host, id)
          const [call] = fake.calls
          assert.strictEqual(ended.status, "completed")
          assert.deepStrictEqual(call?.transfers, [{ to: number, from: CarrierEngine.callerId, status }])
          assert.deepStrictEqual(call?.words.map(({ text }) => text), [
            "Hello, this is Ada.",
            "I want to talk to a person.",
            "I put you through.",
            ...said
          ])
          assert.deepStrictEqual(
            outcome?.transcript.map(CarrierEngine.wordsOf),
            call?.words.map(CarrierEngine.wordsOf)
          )
          assert.include(outcome?.summary, summary)
          const asked = (what: RegExp) => fake.requests.filter((request) => what.test(request)).length
          // The call lives on until the contact or the number hangs up.
          if (status === "completed") assert.strictEqual(asked(hangUp), hangUpsAfter)
          // Who takes the call has heard no disclosure.
          assert.strictEqual(asked(stopRecording), 1)
        }).pipe(Effect.provide(layer({ callee: (to) => to.endsWith("95") ? { _tag: "Busy" } : contact }))))
    }
  })
}
