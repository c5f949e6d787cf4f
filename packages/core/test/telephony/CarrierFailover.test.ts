import { assert, describe, it } from "@effect/vitest"
import { Engine, Ids, Storage } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect, Logger } from "effect"
import * as Steps from "../support/CallSteps.ts"
import * as RecordingCarrier from "../support/RecordingCarrier.ts"
import { type Carrier, engine } from "../support/RoutedEngine.ts"

const drain = Effect.flatMap(Engine.Engine, (engine) => engine.drain)

/** Starts a call and does what is due. */
const startNow = (number: string, more?: object) => Effect.tap(Steps.start(number, more), drain)

describe("A carrier that is unavailable", () => {
  const failover = [{ carrier: "first", failover: ["second", "third"] }]
  const three = () =>
    ["first", "second", "third"].map((name) => RecordingCarrier.make(name)) as [Carrier, Carrier, Carrier]

  it.effect("is followed at once by the next one of the route", () => {
    const [first, second, third] = three()
    return Effect.gen(function*() {
      first.fail("unavailable")
      const { id } = yield* startNow("+14155550100")
      assert.deepStrictEqual([first, second, third].map(({ dials }) => dials.length), [1, 1, 0])
      assert.strictEqual((yield* Steps.get(id)).status, "dialing")
      yield* TestEngine.advance("10 minutes")
      assert.deepStrictEqual([first, second, third].map(({ dials }) => dials.length), [1, 1, 0])
    }).pipe(Effect.provide(engine([first, second, third], failover)))
  })

  it.effect("is tried again after a pause, and each carrier as often as a single one would be", () => {
    const [first, second, third] = three()
    return Effect.gen(function*() {
      const all = [first, second, third]
      for (const carrier of all) carrier.fail("unavailable")
      const { id } = yield* Steps.start("+14155550100")
      yield* TestEngine.advance("3 seconds")
      assert.deepStrictEqual(all.map(({ times }) => times()), [[0, 2000], [0, 2000], [0, 2000]])
      yield* TestEngine.advance("3 hours")
      assert.deepStrictEqual(all.map(({ dials }) => dials.length), [20, 20, 20])
      const { status, statusCode } = yield* Steps.get(id)
      assert.deepStrictEqual([status, statusCode], ["failed", "carrier_unavailable"])
    }).pipe(Effect.provide(engine([first, second, third], failover)))
  })

  for (const reason of ["refused", "unknown", "not_authorized"] as const) {
    it.effect(`is the only reason: a call whose dial is ${reason} goes over no other carrier`, () => {
      const [first, second, third] = three()
      return Effect.gen(function*() {
        first.fail(reason)
        yield* startNow("+14155550100")
        yield* TestEngine.advance("10 minutes")
        assert.deepStrictEqual([first, second, third].map(({ dials }) => dials.length), [1, 0, 0])
      }).pipe(Effect.provide([engine([first, second, third], failover), Logger.layer([])]))
    })
  }

  it.effect("gets its call back when the next one of the route is then paused, because it refuses the account", () => {
    const [first, second, third] = three()
    return Effect.gen(function*() {
      first.fail("unavailable")
      second.fail("not_authorized")
      yield* startNow("+14155550100")
      assert.deepStrictEqual([first, second, third].map(({ times }) => times()), [[0, 0], [0], [0]])
      // The second one is paused now. The last one refuses the next call.
      third.fail("not_authorized")
      const { id } = yield* Steps.start("+14155550101")
      yield* TestEngine.advance("1 second")
      first.fail()
      yield* TestEngine.advance("2 seconds")
      assert.deepStrictEqual([first, second, third].map(({ times }) => times()), [[0, 0, 0, 0, 2000], [0], [0, 0]])
      assert.strictEqual((yield* Steps.get(id)).status, "dialing")
    }).pipe(Effect.provide([engine([first, second, third], failover), Logger.layer([])]))
  })

  it.effect("is not dialed again at once while another one of the route is paused", () => {
    const [first, second, third] = three()
    return Effect.gen(function*() {
      for (const carrier of [first, second, third]) carrier.fail("unavailable")
      const { carriers } = yield* Storage.Storage
      yield* carriers.pause({ carrier: Ids.CarrierName.make("second"), now: Factories.start, by: "operator" })
      const { id } = yield* Steps.start("+14155550100")
      yield* TestEngine.advance("7 seconds")
      assert.deepStrictEqual([first.times(), second.times(), third.times()], [[0, 2000, 6000], [], [0, 2000, 6000]])
      yield* TestEngine.advance("3 hours")
      assert.deepStrictEqual([first, second, third].map(({ dials }) => dials.length), [20, 0, 20])
      assert.strictEqual((yield* Steps.get(id)).status, "failed")
    }).pipe(Effect.provide(engine([first, second, third], failover)))
  })

  it.effect("is followed by no other one without failover in its route", () => {
    const [first, second] = three()
    return Effect.gen(function*() {
      first.fail("unavailable")
      yield* startNow("+14155550100")
      yield* TestEngine.advance("10 minutes")
      assert.isAbove(first.dials.length, 1)
      assert.isEmpty(second.dials)
    }).pipe(Effect.provide(engine([first, second], [{ carrier: "first" }, { carrier: "second" }])))
  })
})
