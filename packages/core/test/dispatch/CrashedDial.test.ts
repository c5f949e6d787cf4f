import { assert, describe, it } from "@effect/vitest"
import { MemoryStorage, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Clock, DateTime, Deferred, Effect, Layer } from "effect"
import * as CrashingDial from "../../../../test/support/CrashingDial.ts"
import * as Steps from "../support/CallSteps.ts"
import * as Instant from "../support/Instant.ts"

/** The lines of a carrier, and which calls rang. */
const makeLines = () => {
  const rings: Array<{ readonly callId: string; readonly at: number }> = []
  const lines: CrashingDial.Lines = {
    ring: (callId) => Effect.map(Clock.currentTimeMillis, (at) => void rings.push({ callId, at })),
    rangAt: (callId) => rings.find((one) => one.callId === callId)?.at
  }
  return { lines, rings }
}

describe("A node that stops for good in the middle of a dial", () => {
  for (const step of CrashingDial.steps) {
    // The loops of that node never go on, as if its fiber had died.
    it.effect(`${step} rings no phone twice, and leaves no call and no line behind`, () =>
      Effect.gen(function*() {
        const { lines, rings } = makeLines()
        const shared = yield* Effect.provide(Storage.Storage, MemoryStorage.layer)
        const reached = yield* Deferred.make<void>()
        const over = yield* Deferred.make<never>()
        const crash = { step, crash: Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(over)) }
        const crashing = TestEngine.layer({
          ...Instant.options,
          lines: 1,
          storage: Layer.succeed(Storage.Storage, CrashingDial.storageOf(shared, crash)),
          telephony: CrashingDial.telephonyOf(lines, crash)
        })
        const healthy = yield* Layer.build(Layer.fresh(TestEngine.layer({
          ...Instant.options,
          storage: Layer.succeed(Storage.Storage, shared),
          telephony: CrashingDial.telephonyOf(lines)
        })))
        yield* Effect.gen(function*() {
          const calls = yield* Effect.forEach(["+14155550100", "+14155550101"], (number) => Steps.start(number))
          yield* Effect.forkChild(TestEngine.drain)
          yield* Deferred.await(reached)
          yield* Effect.provide(TestEngine.advance("10 minutes"), healthy)
          const ended = yield* Effect.forEach(calls, ({ id }) => Steps.get(id))
          const isLost = CrashingDial.isLost(step)
          assert.deepStrictEqual(ended.map(({ status }) => status), [isLost ? "failed" : "no_answer", "no_answer"])
          const expected = calls.slice(isLost ? 1 : 0).map(({ id }) => id)
          assert.sameMembers(rings.map(({ callId }) => callId), expected)
          assert.lengthOf(rings, expected.length)
          const { liveCalls } = yield* shared.stats.snapshot(yield* DateTime.now)
          assert.strictEqual(liveCalls, 0)
          // The node waits for its dials when it is closed.
        }).pipe(Effect.ensuring(Deferred.die(over, new Error("It has crashed"))), Effect.provide(crashing))
      }))
  }
})
