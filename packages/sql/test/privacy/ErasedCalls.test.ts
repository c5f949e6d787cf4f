/** The statements that erase callees and delete transcripts, compared with the rules on random rows. */
import { assert, it } from "@effect/vitest"
import { Erasure, Retention } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Layer, Schema } from "effect"
import * as Pglite from "../../../../test/support/pglite.ts"
import * as SampleCalls from "../support/SampleCalls.ts"
import { int, samples } from "../support/Samples.ts"

const Sample = Schema.Struct({
  status: Schema.Literals([
    "queued",
    "completed",
    "completed",
    "completed",
    "no_answer",
    "failed",
    "canceled",
    "expired"
  ]),
  outcomeState: Schema.Literals(["pending", "stored", "given_up"]),
  hasTranscript: Schema.Boolean,
  hasContact: Schema.Boolean,
  number: int(0, 2),
  isAsked: Schema.Boolean
})

const numbers = [Factories.phoneNumber(), Factories.phoneNumber(), Factories.phoneNumber()]
const transcript = [{ speaker: "contact", text: "Hello" }] as const

const toCall = ({ hasContact, hasTranscript, number, outcomeState, status }: typeof Sample.Type) => {
  const isCompleted = status === "completed"
  const phoneNumber = numbers[number]
  return {
    status,
    hasRecording: hasTranscript && isCompleted,
    outcomeState: isCompleted ? outcomeState : "none",
    ...(status !== "queued" && {
      decision: { at: "2026-03-02T10:00:00.000Z", lines: 1, linesInUse: 0, callsPerSecond: 1, placedLastSecond: 0 }
    }),
    holds: [{ at: Factories.start, code: "recall_gap", until: Factories.at(60) }],
    // One call waits for a number.
    ...(status !== "queued" && { endedAt: Factories.at(90), ...(phoneNumber !== undefined && { phoneNumber }) }),
    ...(isCompleted && outcomeState === "pending" && { outcomeDueAt: Factories.at(90) }),
    ...(isCompleted && outcomeState === "stored" && {
      outcome: { ...Factories.outcome, transcript: hasTranscript ? transcript : [] }
    }),
    ...(isCompleted && outcomeState !== "stored" && hasTranscript && { transcript }),
    ...(!hasContact && { contact: {}, variables: {}, metadata: {} })
  } as const
}

/** An account with 200 random calls, as they are stored, and which of them are asked for. */
const make = Effect.gen(function*() {
  const rows = yield* samples(Sample, 200)
  const { id: accountId, storage } = yield* SampleCalls.make(rows.map(toCall))
  const before = yield* SampleCalls.read(accountId)
  const callIds = before.flatMap(({ id }, index) => rows[index]?.isAsked === true ? [id] : [])
  return { accountId, storage, before, callIds }
})

const layer = Layer.provideMerge(SqlStorage.layer, Pglite.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })(
  "Calls after erasure and retention in SQL",
  (it) => {
    it.effect("are after the erasure of their callee as the rule says", () =>
      Effect.gen(function*() {
        const { accountId, before, callIds, storage } = yield* make
        const phoneNumber = before.find(({ status }) => status !== "queued")?.phoneNumber ??
          assert.fail("No call ended")
        const alias = Factories.aliasOf(phoneNumber)
        yield* storage.privacy.eraseCalls({ accountId, phoneNumber, alias, callIds, eraser: Erasure.erasedBody })
        const expected = before.map((call) =>
          call.phoneNumber === phoneNumber && callIds.includes(call.id) && Erasure.isErasable(call)
            ? Erasure.erasedCall(call, alias)
            : call
        )
        assert.deepStrictEqual(yield* SampleCalls.read(accountId), expected)
      }))

    it.effect("are without their transcripts as the rule says", () =>
      Effect.gen(function*() {
        const { accountId, before, callIds, storage } = yield* make
        yield* storage.privacy.deleteTranscripts({ accountId, callIds })
        const expected = before.map((call) =>
          callIds.includes(call.id) ? Retention.withoutTranscript(call) ?? call : call
        )
        assert.deepStrictEqual(yield* SampleCalls.read(accountId), expected)
      }))

    it.effect("are those that are over, as the rule says", () =>
      Effect.gen(function*() {
        const { accountId, before, storage } = yield* make
        const phoneNumber = before.find(({ status }) => status !== "queued")?.phoneNumber ??
          assert.fail("No call ended")
        const options = { accountId, phoneNumber, until: Factories.at(100), limit: 1000 }
        const expected = before.filter((call) => call.phoneNumber === phoneNumber && Erasure.isErasable(call))
        assert.sameMembers([...(yield* storage.privacy.callsToErase(options))], expected.map(({ id }) => id))
      }))
  }
)
