/** Transfers of whole calls: what becomes of the call, and what is on record. */
import { assert, describe, it } from "@effect/vitest"
import { Calls, OutcomeSource, PhoneNumber, type SimulatedContact, Storage, TextAgent } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import * as CallSteps from "../support/CallSteps.ts"

const contact: SimulatedContact.Script = [{ _tag: "Says", text: "A person, please." }, { _tag: "IsSilent" }]

/** Transfers the call when the contact says something, and ends it if that is not possible. */
const textAgent = TextAgent.TextAgent.layerOf(async function*({ input }) {
  if (input._tag === "Opening") return yield { _tag: "Say", text: "Hello." }
  if (input._tag === "NotTransferred") {
    yield { _tag: "Say", text: "Nobody is there. Goodbye." }
    return yield { _tag: "End" }
  }
  yield { _tag: "Say", text: "I put you through." }
  yield { _tag: "Transfer", to: "reception" }
})

const engine = (to: string) =>
  TestEngine.layer({
    textAgent,
    agent: { transferNumbers: [{ name: "reception", number: PhoneNumber.PhoneNumber.make(to) }] },
    contact: () => contact,
    outcomes: OutcomeSource.OutcomeSource.layerScripted()
  })

const called = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const { conversations } = yield* Storage.Storage
  const { id } = yield* CallSteps.start("+14155550100")
  const log = Effect.map(
    conversations.read({ accountId, callId: id, after: 0, limit: 100 }),
    ({ entries }) =>
      entries.flatMap(({ entry }): ReadonlyArray<unknown> => {
        if (entry._tag === "Noted") return [entry.note]
        return entry._tag === "Over" ? [entry.reason] : entry._tag === "Turn" ? [entry.text] : []
      })
  )
  return { call: calls.get(accountId, id), log }
})

describe("a transferred call", () => {
  it.effect("is in progress while the contact talks with the other side, and is completed with what was said before", () =>
    Effect.gen(function*() {
      const { call, log } = yield* called
      yield* TestEngine.advance("40 seconds")
      assert.strictEqual((yield* call).status, "in_progress")
      assert.deepStrictEqual(yield* log, [
        "Hello.",
        "A person, please.",
        "I put you through.",
        { _tag: "Transfer", to: "reception" },
        "transferred"
      ])
      yield* TestEngine.advance("2 minutes")
      const { outcome, status } = yield* call
      assert.strictEqual(status, "completed")
      assert.lengthOf(outcome?.transcript ?? [], 3)
      assert.include(outcome?.summary, "It was transferred to reception.")
    }).pipe(Effect.provide(engine("+14155550190"))))

  it.effect("goes on with the agent when nobody takes it", () =>
    Effect.gen(function*() {
      const { call } = yield* called
      yield* TestEngine.advance("3 minutes")
      const { outcome, status } = yield* call
      assert.strictEqual(status, "completed")
      assert.deepStrictEqual(outcome?.transcript.map(({ text }) => text).slice(-2), [
        "I put you through.",
        "Nobody is there. Goodbye."
      ])
      assert.include(outcome?.summary, "It could not be transferred to reception.")
    }).pipe(Effect.provide(engine("+14155550195"))))
})
