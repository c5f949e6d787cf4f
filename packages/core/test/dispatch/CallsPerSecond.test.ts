import { assert, describe, it } from "@effect/vitest"
import { Engine, Gauges, Ids, MemoryStorage, Storage, Telephony } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Clock, Duration, Effect, Fiber, Layer, Metric, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Steps from "../support/CallSteps.ts"
import * as Instant from "../support/Instant.ts"

/** A carrier with a limit that accepts every call, and when it was asked to dial which number. */
const limited = (callsPerSecond: number) => {
  const dials: Array<{ readonly at: number; readonly phoneNumber: string }> = []
  const telephony = Layer.succeed(Telephony.Telephony, {
    name: Ids.CarrierName.make("limited"),
    callsPerSecond,
    dial: ({ callId, phoneNumber }) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        dials.push({ at, phoneNumber })
        return Ids.CarrierCallId.make(`limited ${callId}`)
      }),
    lookUp: () => Effect.succeed({ _tag: "Live" as const }),
    hangUp: () => Effect.void,
    notFoundLag: Duration.seconds(5)
  })
  return { dials, telephony, times: () => dials.map(({ at }) => at) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+1415555${1000 + index}`)

const startMany = (count: number) => Effect.forEach(numbers(count), (number) => Steps.start(number))

/** Starts a call of another account of the same storage. */
const startElsewhere = Effect.fnUntraced(function*(phoneNumber: string) {
  const storage = yield* Storage.Storage
  const accountId = Factories.accountId()
  const now = Factories.start
  yield* storage.accounts.put({
    id: accountId,
    name: "Other",
    lines: 5,
    paused: false,
    policy: Factories.openPolicy,
    createdAt: now
  })
  const { id } = yield* storage.agents.put({ accountId, agent: Factories.agentDefinition(), now })
  yield* Steps.startFor({ accountId, agentId: id }, phoneNumber)
})

const running = Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkChild(run))

describe("A carrier's calls per second", () => {
  it.effect("are dialed one by one, evenly", () => {
    const { telephony, times } = limited(5)
    return Effect.gen(function*() {
      const loops = yield* running
      yield* startMany(12)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(times(), Array.from({ length: 12 }, (_, index) => index * 200))
      yield* Fiber.interrupt(loops)
    }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, lines: 20, telephony })))
  })

  it.effect("may be less than one", () => {
    const { telephony, times } = limited(0.5)
    return Effect.gen(function*() {
      yield* startMany(3)
      yield* TestEngine.advance("10 seconds")
      assert.deepStrictEqual(times(), [0, 2000, 4000])
    }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, telephony })))
  })

  it.effect("delay no call after a while without calls", () => {
    const { telephony, times } = limited(1)
    return Effect.gen(function*() {
      const loops = yield* running
      yield* Steps.start("+14155550100")
      yield* TestClock.adjust("1500 millis")
      yield* Steps.start("+14155550101")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(times(), [0, 1500])
      yield* Fiber.interrupt(loops)
    }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, telephony })))
  })

  it.effect("are shared by all nodes on the storage, and each call is dialed once", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
      const { dials, telephony, times } = limited(4)
      const node = TestEngine.layer({ ...Instant.options, lines: 100, storage, telephony })
      yield* Effect.gen(function*() {
        const others = yield* Effect.forEach(Array.from({ length: 4 }), () =>
          Effect.forkChild(Effect.provide(running.pipe(Effect.flatMap(Fiber.join)), node, { local: true })))
        const loops = yield* running
        yield* startMany(40)
        yield* TestClock.adjust("12 seconds")
        assert.strictEqual(
          new Set(dials.map(({ phoneNumber }) =>
            phoneNumber
          )).size,
          40
        )
        assert.lengthOf(dials, 40)
        const apart = times().slice(1).map((at, index) => at - (times()[index] ?? 0))
        assert.isAtLeast(Math.min(...apart), 250)
        // A node that asks for a slot a little too late costs ten milliseconds.
        assert.isAtMost(times().at(-1) ?? Infinity, 39 * 260)
        yield* Fiber.interruptAll([loops, ...others])
      }).pipe(Effect.provide(node))
    }))

  it.effect("are used by accounts in turn", () => {
    const { dials, telephony } = limited(1)
    return Effect.gen(function*() {
      const loops = yield* running
      yield* startMany(4)
      yield* startElsewhere("+14155552001")
      yield* startElsewhere("+14155552002")
      yield* TestClock.adjust("10 seconds")
      const turns = dials.map(({ phoneNumber }) => phoneNumber)
      assert.sameMembers(turns, [...numbers(4), "+14155552001", "+14155552002"])
      // The first account was alone when it was served, and waited before the others came.
      assert.includeMembers(turns.slice(0, 4), ["+14155552001", "+14155552002"])
      yield* Fiber.interrupt(loops)
    }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, telephony })))
  })

  it.effect("are left to the next account by one whose call may not be dialed", () => {
    const { telephony, times } = limited(1)
    return Effect.gen(function*() {
      const loops = yield* running
      yield* Steps.start("+14155550100")
      yield* TestClock.adjust("100 millis")
      // Its number is busy.
      yield* Steps.start("+14155550100")
      yield* TestClock.adjust("100 millis")
      yield* startElsewhere("+14155552001")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(times(), [0, 1000])
      yield* Fiber.interrupt(loops)
    }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, telephony })))
  })

  it.effect("let other accounts dial while the claims of one fail", () => {
    const { dials, telephony } = limited(1)
    const failing = Layer.effect(
      Storage.Storage,
      Effect.map(Storage.Storage, (storage) => ({
        ...storage,
        dispatch: {
          ...storage.dispatch,
          claimDue: (options) =>
            Effect.gen(function*() {
              const { name } = Option.getOrThrow(yield* storage.accounts.get(options.accountId))
              if (name === "Other") return yield* storage.dispatch.claimDue(options)
              return yield* new Storage.StorageError({ reason: "unavailable", cause: "gone" })
            })
        }
      }))
    ).pipe(Layer.provide(MemoryStorage.layer))
    return Effect.gen(function*() {
      const loops = yield* running
      yield* startMany(1)
      for (const number of ["+14155552001", "+14155552002"]) yield* startElsewhere(number)
      yield* TestClock.adjust("5 seconds")
      assert.sameMembers(dials.map(({ phoneNumber }) => phoneNumber), ["+14155552001", "+14155552002"])
      yield* Fiber.interrupt(loops)
    }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, telephony, storage: failing })))
  })

  it.effect("do not make calls late that wait for them while they are used", () => {
    const { telephony } = limited(0.1)
    const overdue = Effect.gen(function*() {
      yield* Effect.flatMap(Gauges.Gauges, ({ refresh }) => refresh)
      const series = yield* Metric.snapshot
      const dial = series.find(({ attributes, id }) =>
        id === "outdial_overdue_seconds" && attributes?.["kind"] === "dial"
      )
      return dial?.state !== undefined && "value" in dial.state ? dial.state.value : undefined
    })
    return Effect.gen(function*() {
      yield* startMany(5)
      yield* TestEngine.advance("29 seconds")
      assert.strictEqual(yield* overdue, 9)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* overdue, 69)
    }).pipe(
      Effect.provide(TestEngine.layer({ ...Instant.options, telephony })),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  })
})
