/** The state of carriers that nodes share. Each case has carriers of its own. */
import { assert } from "@effect/vitest"
import { type Carrier, type Ids, Limits, Storage } from "@outdial/core"
import { DateTime, Duration, Effect } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"

/** Takes slots at so many seconds; how many were taken. */
const take = (carrier: Ids.CarrierName, callsPerSecond: number, seconds: number) =>
  Effect.flatMap(Storage.Storage, ({ carriers }) =>
    Effect.map(
      carriers.takeSlots({ carrier, callsPerSecond, now: Factories.at(seconds) }),
      ({ taken }) => taken
    ))

const giveBack = (carrier: Ids.CarrierName, takenAt: number, unused: number) =>
  Effect.flatMap(
    Storage.Storage,
    ({ carriers }) => carriers.returnSlots({ carrier, takenAt: Factories.at(takenAt), unused })
  )

const takeAll = (carrier: Ids.CarrierName, callsPerSecond: number, seconds: ReadonlyArray<number>) =>
  Effect.forEach(seconds, (at) => take(carrier, callsPerSecond, at))

const every = Duration.seconds(60)

const pause = (carrier: Ids.CarrierName, by: Carrier.CarrierPause["by"], seconds: number) =>
  Effect.flatMap(Storage.Storage, ({ carriers }) =>
    carriers.pause({
      carrier,
      by,
      now: Factories.at(seconds),
      ...(by === "fault" && { reason: { code: "20003", message: "Authenticate" } })
    }))

const resume = (carrier: Ids.CarrierName, by?: Carrier.CarrierPause["by"]) =>
  Effect.flatMap(Storage.Storage, ({ carriers }) => carriers.resume({ carrier, ...(by !== undefined && { by }) }))

const claimCheck = (carrier: Ids.CarrierName, seconds: number) =>
  Effect.flatMap(Storage.Storage, ({ carriers }) => carriers.claimCheck({ carrier, every, now: Factories.at(seconds) }))

/** Of carriers of the test, as they are listed. */
const listed = (...names: ReadonlyArray<Ids.CarrierName>) =>
  Effect.flatMap(
    Storage.Storage,
    ({ carriers }) => Effect.map(carriers.list, (all) => all.filter(({ name }) => names.includes(name)))
  )

/** Its carrier is paused only during the test, because other tests may share the storage. */
const withCarrier = <E, R>(use: (carrier: Ids.CarrierName) => Effect.Effect<void, E, R>) =>
  Effect.suspend(() => {
    const carrier = Factories.carrierName()
    return Effect.ensuring(use(carrier), Effect.ignore(resume(carrier)))
  })

export const cases: Cases = {
  "pauses a carrier once for a fault, with what the carrier said, until it is resumed": withCarrier((carrier) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* listed(carrier), [])
      assert.isTrue(yield* pause(carrier, "fault", 0))
      assert.isFalse(yield* pause(carrier, "fault", 5))
      const at = Factories.start
      assert.deepStrictEqual(yield* listed(carrier), [
        {
          name: carrier,
          pause: { at, by: "fault", reason: { code: "20003", message: "Authenticate" }, checkedAt: at }
        }
      ])
      assert.deepStrictEqual([yield* resume(carrier), yield* resume(carrier)], [true, false])
      assert.deepStrictEqual(yield* listed(carrier), [{ name: carrier }])
    })
  ),

  "lets an operator's pause replace that for a fault, and nothing but an operator end it": withCarrier((carrier) =>
    Effect.gen(function*() {
      yield* pause(carrier, "fault", 0)
      assert.isTrue(yield* pause(carrier, "operator", 5))
      assert.deepStrictEqual(
        [yield* pause(carrier, "operator", 6), yield* pause(carrier, "fault", 7), yield* claimCheck(carrier, 3600)],
        [false, false, false]
      )
      assert.isFalse(yield* resume(carrier, "fault"))
      assert.deepStrictEqual(yield* listed(carrier), [
        { name: carrier, pause: { at: Factories.at(5), by: "operator" } }
      ])
      assert.isTrue(yield* resume(carrier, "operator"))
      assert.isFalse(yield* resume(Factories.carrierName()))
    })
  ),

  "gives each check of a faulty carrier to one of many at once, a minute after the one before": withCarrier((carrier) =>
    Effect.gen(function*() {
      assert.isFalse(yield* claimCheck(carrier, 0))
      yield* pause(carrier, "fault", 0)
      const atOnce = (seconds: number) =>
        Effect.map(
          Effect.all(Array.from({ length: 8 }, () => claimCheck(carrier, seconds)), { concurrency: "unbounded" }),
          (all) => all.filter((isMine) => isMine).length
        )
      assert.deepStrictEqual(
        [yield* atOnce(59.9), yield* atOnce(60), yield* atOnce(119.9), yield* atOnce(130)],
        [0, 1, 0, 1]
      )
      assert.deepStrictEqual((yield* listed(carrier))[0]?.pause?.checkedAt, Factories.at(130))
      // The clock was set back.
      assert.deepStrictEqual([yield* claimCheck(carrier, 129), yield* claimCheck(carrier, 10)], [false, true])
      yield* resume(carrier, "fault")
      assert.isFalse(yield* claimCheck(carrier, 7200))
    })
  ),

  "lists carriers by name, and leaves their slots alone": Effect.gen(function*() {
    const names = [Factories.carrierName(), Factories.carrierName(), Factories.carrierName()].toSorted()
    const [first, second, third] = names
    if (first === undefined || second === undefined || third === undefined) return
    yield* take(third, 1, 0)
    yield* take(first, 1, 0)
    yield* pause(second, "operator", 0)
    assert.deepStrictEqual((yield* listed(...names)).map(({ name }) => name), names)
    yield* pause(first, "fault", 0)
    assert.deepStrictEqual(yield* takeAll(first, 1, [0.5, 1]), [0, 1])
    yield* Effect.all([resume(first), resume(second)])
    assert.deepStrictEqual(yield* takeAll(first, 1, [1.5, 2]), [0, 1])
  }),

  "gives one slot a second at a rate of 1, and says when the next is free": Effect.gen(function*() {
    const { carriers } = yield* Storage.Storage
    const carrier = Factories.carrierName()
    const freeAt = Factories.at(1)
    const at = (seconds: number) => carriers.takeSlots({ carrier, callsPerSecond: 1, now: Factories.at(seconds) })
    assert.deepStrictEqual(yield* at(0), { taken: 1, freeAt })
    assert.deepStrictEqual(yield* at(0), { taken: 0, freeAt })
    assert.deepStrictEqual(yield* at(0.999), { taken: 0, freeAt })
    assert.deepStrictEqual(yield* at(1), { taken: 1, freeAt: Factories.at(2) })
  }),

  "gives one slot in two seconds at a rate of 0.5": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    assert.deepStrictEqual(yield* takeAll(carrier, 0.5, [0, 1, 1.999, 2, 3.999, 4]), [1, 0, 0, 1, 0, 1])
  }),

  "spreads the slots of a second over it": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    assert.deepStrictEqual(yield* takeAll(carrier, 5, [0, 0.199, 0.2, 0.4, 0.5, 0.6]), [1, 0, 1, 1, 0, 1])
  }),

  "rounds up the time between slots, so that no second has one too many": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    assert.deepStrictEqual(yield* takeAll(carrier, 3, [0, 0.333, 0.334, 0.668, 1, 1.002]), [1, 0, 1, 1, 0, 1])
  }),

  "gives the slots of a tenth of a second together at a high rate": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    assert.deepStrictEqual(yield* takeAll(carrier, 50, [0, 0.099, 0.1, 0.2]), [5, 0, 5, 5])
  }),

  "keeps no slots of the time in which none were taken": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    assert.deepStrictEqual(yield* takeAll(carrier, 1, [0, 60, 60.5, 61]), [1, 1, 0, 1])
  }),

  "counts the slots of each carrier by themselves": Effect.gen(function*() {
    const [one, other] = [Factories.carrierName(), Factories.carrierName()]
    assert.deepStrictEqual([yield* take(one, 1, 0), yield* take(other, 1, 0), yield* take(one, 1, 0.5)], [1, 1, 0])
  }),

  "gives a slot to one of many claimers at once": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    const atOnce = (seconds: number) =>
      Effect.all(Array.from({ length: 16 }, () => take(carrier, 1, seconds)), { concurrency: "unbounded" })
    for (const seconds of [0, 1]) {
      assert.strictEqual((yield* atOnce(seconds)).reduce((sum, taken) => sum + taken, 0), 1)
    }
  }),

  "frees the slot of a claimer that died with it when its time has passed": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    assert.deepStrictEqual(yield* takeAll(carrier, 1, [0, 0.5, 1]), [1, 0, 1])
  }),

  "gives a returned slot to the next claimer at once": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    yield* take(carrier, 1, 0)
    yield* giveBack(carrier, 0, 1)
    assert.deepStrictEqual(yield* takeAll(carrier, 1, [0.001, 0.5]), [1, 0])
  }),

  "is free earlier by as many slots as were returned": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    yield* take(carrier, 50, 0)
    yield* giveBack(carrier, 0, 3)
    assert.deepStrictEqual(yield* takeAll(carrier, 50, [0.039, 0.04]), [0, 5])
  }),

  "ignores a return after other slots were taken, and one of a carrier without slots": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    yield* giveBack(carrier, 0, 1)
    yield* takeAll(carrier, 1, [0, 1])
    yield* giveBack(carrier, 0, 1)
    assert.deepStrictEqual(yield* takeAll(carrier, 1, [1.999, 2]), [0, 1])
  }),

  "goes by the rate of the claimer when the rate was changed": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    yield* take(carrier, 0.1, 0)
    assert.strictEqual(yield* take(carrier, 10, 0.1), 1)
    assert.deepStrictEqual(yield* takeAll(carrier, 0.5, [1, 2.099, 2.1]), [0, 0, 1])
  }),

  "holds nothing up after the clock was set back": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    yield* take(carrier, 1, 3600)
    assert.deepStrictEqual(yield* takeAll(carrier, 1, [0, 0.5, 1]), [1, 0, 1])
  }),

  "waits for a clock that is behind within the limits": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    const { carriers } = yield* Storage.Storage
    const ahead = Duration.toSeconds(Limits.clockUncertainty)
    yield* take(carrier, 1, ahead)
    const { freeAt, taken } = yield* carriers.takeSlots({ carrier, callsPerSecond: 1, now: Factories.start })
    assert.deepStrictEqual({ freeAt, taken }, { freeAt: Factories.at(ahead + 1), taken: 0 })
    assert.isTrue(DateTime.isGreaterThan(freeAt, Factories.start))
  }),

  "gives a slot after the clock was set forward": Effect.gen(function*() {
    const carrier = Factories.carrierName()
    assert.deepStrictEqual(yield* takeAll(carrier, 1, [0, 86_400, 86_400.5]), [1, 1, 0])
  })
}
