import { assert, it } from "@effect/vitest"
import { Calls, HangUps, type Ids, SimulatedTelephony, Storage, Telephony } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import * as Steps from "../support/CallSteps.ts"

const hangUp = Effect.fnUntraced(function*(id: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return yield* calls.hangUp(accountId, id)
})

/** A contact who talks for longer than a minute. */
const talkative = () => [{ _tag: "Says", text: "Well, ".repeat(200) }] as const

/** A carrier whose calls are in another process: a hang-up from here does not reach them. */
const elsewhere = Layer.effect(
  Telephony.Telephony,
  Effect.map(Telephony.Telephony, (telephony) => ({ ...telephony, hangUp: () => Effect.void }))
).pipe(Layer.provide(SimulatedTelephony.layer({ contact: talkative })))

describe("hanging up", () => {
  it.effect("ends a conversation with its transcript until then, and returns an ended call unchanged", () =>
    Effect.gen(function*() {
      const { id } = yield* Steps.start("+14155550100")
      yield* TestEngine.advance("15 seconds")
      assert.strictEqual((yield* hangUp(id)).status, "in_progress")
      yield* TestEngine.drain
      const call = yield* Steps.get(id)
      // Whether the callee had spoken by then depends on the call's id.
      assert.include(["completed", "no_answer"], call.status)
      assert.strictEqual(call.answeredBy, "human")
      assert.strictEqual(call.endedAt?.epochMilliseconds, 15_000)
      assert.isAtMost(call.durationSeconds ?? 99, 12)
      assert.deepStrictEqual((yield* hangUp(id)).endedAt, call.endedAt)
    }).pipe(Effect.provide(TestEngine.layer({ contact: talkative }))))

  it.effect("ends a ringing call, which is then no_answer", () =>
    Effect.gen(function*() {
      const { id } = yield* Steps.start("+14155550100")
      yield* TestEngine.advance("2 seconds")
      assert.strictEqual((yield* hangUp(id)).status, "dialing")
      yield* TestEngine.drain
      const { durationSeconds, status } = yield* Steps.get(id)
      assert.deepStrictEqual({ durationSeconds, status }, { durationSeconds: 0, status: "no_answer" })
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("reaches a call of another process with its next sign of life", () =>
    Effect.gen(function*() {
      const { id } = yield* Steps.start("+14155550100")
      // A phone rings for 12 seconds at most, and the contact talks for longer than a minute.
      yield* TestEngine.advance("13 seconds")
      const { accountId } = yield* TestEngine.Tenant
      const hangUps = yield* HangUps.HangUps
      const before = yield* hangUps.request(accountId, id)
      assert.strictEqual(before.call.status, "in_progress")
      yield* TestEngine.advance("20 seconds")
      const { endedAt } = yield* Steps.get(id)
      assert.isAtMost(endedAt?.epochMilliseconds ?? Infinity, 21_000)
    }).pipe(Effect.provide(
      HangUps.HangUps.layer.pipe(
        Layer.provide(Storage.layerStores),
        Layer.provideMerge(TestEngine.layer({ telephony: elsewhere }))
      )
    )))

  it.effect("refuses a call that waits, and knows no other", () =>
    Effect.gen(function*() {
      const { id } = yield* Steps.start("+14155550100")
      assert.strictEqual((yield* Effect.flip(hangUp(id))).code, "call_not_live")
      assert.strictEqual((yield* Effect.flip(hangUp(Factories.callId()))).code, "not_found")
    }).pipe(Effect.provide(TestEngine.layer())))
})
