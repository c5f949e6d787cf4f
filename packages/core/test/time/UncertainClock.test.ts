import { assert, it } from "@effect/vitest"
import { Call, Calls, ClockUncertainty, Engine, Explanations, SimulatedTelephony } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Duration, Effect, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"

const decodeStart = Schema.decodeUnknownEffect(Call.StartCall)

const start = Effect.gen(function*() {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const request = yield* decodeStart({ agentId, phoneNumber: "+14155550100", variables: { topic: "your visit" } })
  return yield* Effect.flatMap(Calls.Calls, ({ start }) => start(accountId, request))
})

const rings = Effect.flatMap(SimulatedTelephony.DialLog, ({ rings }) => rings)

describe("a clock that may be wrong", () => {
  it.effect("lets calls be accepted, and none be dialed until it is certain again", () =>
    Effect.gen(function*() {
      const uncertainty = yield* Ref.make(Duration.millis(2001))
      yield* Effect.gen(function*() {
        yield* Effect.forkScoped(Effect.flatMap(Engine.Engine, ({ run }) => run))
        const { id, status } = yield* start
        const { accountId } = yield* TestEngine.Tenant
        const isDialed = Effect.flatMap(Explanations.Explanations, ({ explain }) =>
          Effect.map(explain(accountId, id), ({ workerAlive }) => workerAlive))
        assert.strictEqual(status, "queued")
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(yield* rings, 0)
        // A worker that does not trust its clock dials nothing, and the explanation of the call says so.
        assert.isFalse(yield* isDialed)
        yield* Ref.set(uncertainty, Duration.seconds(2))
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(yield* rings, 1)
      }).pipe(
        Effect.provide(TestEngine.layer()),
        Effect.provideService(ClockUncertainty.ClockUncertainty, Ref.get(uncertainty))
      )
    }))

  it.effect("lets ends be reported, and no outcome be made until it is certain again", () =>
    Effect.gen(function*() {
      const uncertainty = yield* Ref.make(Duration.zero)
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const calls = yield* Calls.Calls
        yield* Effect.forkScoped(Effect.flatMap(Engine.Engine, ({ run }) => run))
        const { id } = yield* start
        yield* TestClock.adjust("3 seconds")
        assert.lengthOf(yield* rings, 1)
        yield* Ref.set(uncertainty, Duration.millis(2001))
        yield* TestClock.adjust("5 minutes")
        const ended = yield* calls.get(accountId, id)
        assert.strictEqual(ended.status, "completed")
        assert.isNull(ended.outcome)
        yield* Ref.set(uncertainty, Duration.zero)
        // Web Crypto takes real time, whatever the test clock shows.
        const { outcome } = yield* Effect.andThen(TestClock.adjust("1 second"), calls.get(accountId, id)).pipe(
          Effect.repeat({ until: ({ outcome }) => outcome !== null, times: 60 })
        )
        assert.isNotNull(outcome)
      }).pipe(
        Effect.provide(TestEngine.layer()),
        Effect.provideService(ClockUncertainty.ClockUncertainty, Ref.get(uncertainty))
      )
    }))
})
