import { assert, describe, it } from "@effect/vitest"
import { Carriers, Engine, Gauges, Ids, MemoryStorage, Storage, Telephony } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as Steps from "../support/CallSteps.ts"
import * as Instant from "../support/Instant.ts"

const name = Ids.CarrierName.make("strict")

/** A carrier that takes calls while its operator's account is in order, and what it was asked. */
const strict = (options: { readonly canBeChecked?: boolean; readonly callsPerSecond?: number } = {}) => {
  const asked = { dials: [] as Array<string>, checks: 0 }
  const account = { isInOrder: true, refusesFrom: Infinity }
  const refuses = () => !account.isInOrder || asked.dials.length >= account.refusesFrom
  const telephony = Layer.succeed(Telephony.Telephony, {
    name,
    ...(options.callsPerSecond !== undefined && { callsPerSecond: options.callsPerSecond }),
    dial: ({ callId, phoneNumber }) =>
      Effect.suspend(() => {
        if (refuses()) account.isInOrder = false
        asked.dials.push(phoneNumber)
        return account.isInOrder
          ? Effect.succeed(Ids.CarrierCallId.make(`strict ${callId}`))
          : new Telephony.DialFailed({
            reason: "not_authorized",
            cause: "401",
            carrierReason: { code: "20003", message: "Authenticate, account AC0123456789abcdef0123456789" }
          })
      }),
    lookUp: () => Effect.succeed({ _tag: "Live" as const }),
    hangUp: () => Effect.void,
    notFoundLag: Duration.seconds(5),
    ...(options.canBeChecked !== false && {
      check: Effect.sync(() => {
        asked.checks += 1
        return account.isInOrder
      })
    })
  })
  const repair = () => {
    account.isInOrder = true
    account.refusesFrom = Infinity
  }
  return { account, asked, repair, telephony }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+1415555${1000 + index}`)

const startMany = (count: number) => Effect.forEach(numbers(count), (number) => Steps.start(number))

/** What waiting calls show, and how many are being dialed. */
const shown = Effect.fnUntraced(function*(calls: ReadonlyArray<{ readonly id: Ids.CallId }>) {
  const now = yield* Effect.forEach(calls, ({ id }) => Steps.get(id))
  return {
    dialing: now.filter(({ status }) => status === "dialing").length,
    waiting: now.flatMap(({ status, statusCode }) => status === "queued" ? [statusCode] : [])
  }
})

const logged = () => {
  const errors: Array<string> = []
  const layer = Logger.layer([Logger.make(({ logLevel, message }) => {
    if (logLevel === "Error") errors.push(String(message))
  })])
  return { errors, layer }
}

const paused = Effect.gen(function*() {
  const gauges = yield* Gauges.Gauges
  yield* gauges.refresh
  const series = yield* Metric.snapshot
  return series.flatMap(({ attributes, id, state }) =>
    id === "outdial_paused_carriers" && "value" in state ? [[attributes?.["cause"], Number(state.value)]] : []
  )
})

const pauseOf = Effect.flatMap(
  Carriers.Carriers,
  ({ list }) => Effect.map(list, (all) => all.find((one) => one.name === name)?.pause)
)

describe("A carrier that refuses the operator's account", () => {
  it.effect("is asked for no further call, burns none, and dials them all after a check that succeeds, on two nodes", () => {
    const { account, asked, repair, telephony } = strict({ callsPerSecond: 2 })
    const { errors, layer } = logged()
    return Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
      const node = TestEngine.layer({ ...Instant.options, lines: 20, storage, telephony })
      const other = yield* Layer.build(Layer.fresh(node))
      /** Both nodes work as time passes. */
      const pass = (seconds: number) =>
        Effect.forEach(
          Array.from({ length: seconds }),
          () => Effect.andThen(TestEngine.advance("1 second"), Effect.provide(TestEngine.drain, other)),
          { discard: true }
        )
      yield* Effect.gen(function*() {
        account.refusesFrom = 2
        const calls = yield* startMany(6)
        yield* pass(50)
        assert.lengthOf(asked.dials, 3)
        assert.strictEqual(asked.checks, 0)
        assert.deepStrictEqual(yield* shown(calls), {
          dialing: 2,
          waiting: Array.from({ length: 4 }, () => "carrier_paused" as const)
        })
        assert.lengthOf(errors, 1)
        assert.match(errors[0] ?? "", /"strict" takes no calls of this account: Authenticate, account … \(20003\)\./)
        const pause = yield* pauseOf
        assert.deepStrictEqual([pause?.by, pause?.reason?.code], ["fault", "20003"])
        assert.deepStrictEqual(yield* paused, [["fault", 1], ["operator", 0]])

        yield* pass(130)
        assert.strictEqual(asked.checks, 2)
        assert.lengthOf(asked.dials, 3)

        repair()
        yield* pass(70)
        assert.strictEqual(asked.checks, 3)
        assert.deepStrictEqual(yield* shown(calls), { dialing: 6, waiting: [] })
        // The third call was asked for twice; nothing rang the first time.
        assert.sameMembers(asked.dials, [...numbers(6), asked.dials[2] ?? ""])
        assert.isUndefined(yield* pauseOf)
        assert.deepStrictEqual(yield* paused, [["fault", 0], ["operator", 0]])
        const { unavailableCount } = yield* Effect.flatMap(
          Storage.Storage,
          ({ calls: stored }) =>
            Effect.flatMap(
              TestEngine.Tenant,
              ({ accountId }) => Effect.flatMap(stored.get(accountId, calls[2]?.id ?? assert.fail()), Effect.fromOption)
            )
        )
        assert.strictEqual(unavailableCount, 0)
      }).pipe(Effect.provide(node))
    }).pipe(Effect.provide(layer), Effect.scoped)
  })

  it.effect("takes calls again as soon as an operator resumes it, also when it cannot be checked", () => {
    const { account, asked, repair, telephony } = strict({ canBeChecked: false })
    return Effect.gen(function*() {
      account.isInOrder = false
      const calls = yield* startMany(3)
      yield* TestEngine.advance("1 day")
      const refused = asked.dials.length
      assert.isAtMost(refused, 3)
      assert.deepStrictEqual((yield* shown(calls)).waiting, Array.from({ length: 3 }, () => "carrier_paused" as const))
      repair()
      const carriers = yield* Carriers.Carriers
      assert.deepStrictEqual(yield* carriers.resume(name), { name })
      yield* TestEngine.drain
      assert.strictEqual(asked.dials.length, refused + 3)
      assert.deepStrictEqual(yield* shown(calls), { dialing: 3, waiting: [] })
    }).pipe(Effect.provide(Layer.merge(TestEngine.layer({ ...Instant.options, telephony }), logged().layer)))
  })
})

describe("An operator", () => {
  it.effect("pauses a carrier, and no check resumes it", () => {
    const { asked, telephony } = strict()
    return Effect.gen(function*() {
      const carriers = yield* Carriers.Carriers
      assert.strictEqual((yield* Effect.flip(carriers.pause(name)))._tag, "NotFound")
      // A worker with the carrier makes it known.
      const { heartbeat } = yield* Effect.map(Storage.Storage, ({ workers }) => ({
        heartbeat: Effect.flatMap(DateTime.now, (now) =>
          workers.put({
            id: Ids.WorkerId.make("wrk_1"),
            version: "1.0.0",
            runs: ["dispatcher"],
            carriers: [name],
            startedAt: now,
            seenAt: now
          }))
      }))
      yield* heartbeat
      assert.deepStrictEqual(yield* carriers.list, [{ name }])
      const { pause } = yield* carriers.pause(name)
      assert.strictEqual(pause?.by, "operator")
      const calls = yield* startMany(2)
      yield* TestClock.adjust("10 minutes")
      yield* TestEngine.drain
      assert.deepStrictEqual([asked.dials.length, asked.checks], [0, 0])
      assert.deepStrictEqual((yield* shown(calls)).waiting, ["carrier_paused", "carrier_paused"])
      const engine = yield* Engine.Engine
      const due = yield* engine.nextDueAt
      assert.isTrue(due._tag === "None" || DateTime.isGreaterThan(due.value, yield* DateTime.now))
      yield* carriers.resume(name)
      yield* TestEngine.drain
      assert.strictEqual(asked.dials.length, 2)
    }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, telephony })))
  })
})
