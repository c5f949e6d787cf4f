/** A process whose routes were forgotten, beside processes that have them, and after they are gone. */
import { assert, describe, it } from "@effect/vitest"
import { Calls, Engine, Explanations, Ids, Lane, MemoryStorage, Storage, Telephony } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Fiber, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Steps from "../support/CallSteps.ts"
import * as Instant from "../support/Instant.ts"
import * as RecordingCarrier from "../support/RecordingCarrier.ts"
import { engine } from "../support/RoutedEngine.ts"

const drain = Effect.flatMap(Engine.Engine, (engine) => engine.drain)

const routes = [{ carrier: "two", countries: ["DE"] }]

const [berlin, munich, boston, austin] = ["+4930123456", "+4989123456", "+16175550100", "+15125550100"] as const

/** Two carriers with routes, a process without routes that has one of them, and a storage for all processes. */
const setting = Effect.gen(function*() {
  const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
  const [one, two, single] = ["one", "two", "one"].map((name) => RecordingCarrier.make(name)) as [Made, Made, Made]
  const without = TestEngine.layer({ ...Instant.options, lines: 100, telephony: single.layer, storage })
  return { one, two, single, storage, routed: engine([one, two], routes, { storage }), without }
})

type Made = ReturnType<typeof RecordingCarrier.make>

const laneOf = Effect.fnUntraced(function*(id: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const { calls } = yield* Storage.Storage
  return Lane.carriersOf(Option.getOrThrow(yield* calls.get(accountId, id)).lane)
})

describe("A process without routes", () => {
  it.effect("dials only calls that processes with routes route over its carrier, and says so", () =>
    Effect.gen(function*() {
      const { one, routed, single, two, without } = yield* setting
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      yield* Effect.gen(function*() {
        yield* drain
        const tenant = yield* TestEngine.Tenant
        yield* Steps.start(berlin)
        yield* Steps.start(boston)
        yield* Effect.gen(function*() {
          yield* Steps.startFor(tenant, munich)
          yield* Steps.startFor(tenant, austin)
          yield* drain
          yield* drain
          assert.deepStrictEqual(single.numbers(), [boston])
        }).pipe(Effect.provide([without, Logger.layer([logger])], { local: true }))
        yield* drain
        assert.deepStrictEqual([one.numbers(), two.numbers().sort()], [[austin], [berlin, munich]])
      }).pipe(Effect.provide(routed))
      assert.deepStrictEqual(logged.filter((line) => line.includes("no routes")), [
        "This process has no routes, but others plan the waiting calls by theirs. It dials only calls whose routes lead over its carrier " +
        "\"one\", and leaves the others to these. Give every process the same carriers and routes"
      ])
    }))

  it.effect("leaves calls with the carrier that was chosen for them when the others are gone, as carrier_missing", () =>
    Effect.gen(function*() {
      const { one, routed, single, storage, two, without } = yield* setting
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const said =
        `Calls wait for the carrier "two" since ${
          DateTime.formatIso(yield* DateTime.now)
        }: a route has chosen it, and no running ` +
        "worker has it. Start one that has it, or one with routes that lead these calls elsewhere"
      yield* Effect.gen(function*() {
        const tenant = yield* TestEngine.Tenant
        const { id } = yield* Effect.gen(function*() {
          yield* drain
          return yield* Steps.startFor(tenant, berlin)
        }).pipe(Effect.provide(routed, { local: true }))
        const loops = yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkChild(run))
        yield* Steps.start(munich)
        yield* TestClock.adjust("59 seconds")
        assert.deepStrictEqual(single.numbers(), [])
        // Nothing plans by routes any more.
        yield* TestClock.adjust("11 seconds")
        assert.deepStrictEqual([single.numbers(), yield* laneOf(id)], [[munich], [Ids.CarrierName.make("two")]])
        const calls = yield* Calls.Calls
        const { statusCode, statusReason } = yield* calls.get(tenant.accountId, id)
        assert.deepStrictEqual([statusCode, statusReason], [
          "carrier_missing",
          "Waiting because no running worker has the carrier that the routes chose."
        ])
        const explained = yield* Effect.flatMap(
          Explanations.Explanations,
          ({ explain }) => explain(tenant.accountId, id)
        )
        assert.deepStrictEqual(explained.rules.flatMap(({ allows, rule }) => allows ? [] : [rule]), ["carrier_missing"])
        // Its own plan is adopted by now, and the call still waits.
        yield* TestClock.adjust("4 minutes")
        assert.deepStrictEqual(logged.filter((line) => line.includes("wait for the carrier")), [said])
        yield* Fiber.interrupt(loops)
        // A router without routes plans it again, over its only carrier.
        yield* Effect.provide(drain, engine([one], [], { storage }), { local: true })
        assert.deepStrictEqual([one.numbers(), two.numbers()], [[berlin], []])
      }).pipe(Effect.provide([without, Logger.layer([logger])]))
    }))

  it.effect("without a carrier leaves the routes of waiting calls as they are, too", () =>
    Effect.gen(function*() {
      const { routed, storage, two } = yield* setting
      const accepting = TestEngine.layer({ ...Instant.options, storage, telephony: Telephony.Telephony.layerNone })
      yield* Effect.gen(function*() {
        const tenant = yield* TestEngine.Tenant
        const { id } = yield* Effect.gen(function*() {
          yield* drain
          return yield* Steps.startFor(tenant, berlin)
        }).pipe(Effect.provide(routed, { local: true }))
        const { accounts } = yield* Storage.Storage
        yield* accounts.update(tenant.accountId, { policy: { callingHours: null, recallGapSeconds: 60 } })
        yield* TestClock.adjust("2 minutes")
        yield* drain
        assert.deepStrictEqual(yield* laneOf(id), [Ids.CarrierName.make("two")])
        yield* Effect.provide(drain, routed, { local: true })
        assert.deepStrictEqual(two.numbers(), [berlin])
      }).pipe(Effect.provide(accepting))
    }))
})
