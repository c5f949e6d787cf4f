import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, FiberSet } from "effect"
import { TestClock } from "effect/testing"
import { Ids, Limits, Storage } from "@outdial/core"
import * as EndpointSender from "../../src/webhook/EndpointSender.ts"

const deliveryOf = (n: number): Storage.ClaimedDelivery => ({
  id: Ids.DeliveryId.make(`dlv_01JNTEST${String(n).padStart(18, "0")}`),
  eventId: Ids.EventId.make(`evt_01JNTEST${String(n).padStart(18, "0")}`),
  attempts: 0,
  cause: "schedule",
  dueAt: DateTime.makeUnsafe(0),
  url: "https://example.com/hook",
  secrets: [],
  body: "{}"
})

interface Behaviour {
  /** Deliveries that are due, numbered from 0. */
  readonly backlog: number
  /** The response to each. */
  readonly respond: (n: number) => Effect.Effect<Storage.DeliveryResult>
  /** Runs before each storage operation, with how many there were of its kind. */
  readonly before?: (operation: "claim" | "settle", count: number) => Effect.Effect<void, Storage.StorageError>
  /** Deliveries in flight of other endpoints. */
  readonly others?: number
}

/** A sender over a storage that holds up to four of its deliveries, and those that it prefetches. */
const make = Effect.fnUntraced(function*({ backlog, before = () => Effect.void, others = 0, respond }: Behaviour) {
  const fibers = yield* FiberSet.make<void, unknown>()
  const due = Array.from({ length: backlog }, (_, n) => n)
  const numberOf = (id: Ids.DeliveryId) => Number(id.slice("dlv_01JNTEST".length))
  const senders: EndpointSender.Senders = {
    run: (effect) => Effect.asVoid(FiberSet.run(fibers, effect)),
    inFlight: others
  }
  const claims: Array<number> = []
  const settles: Array<number> = []
  const sent: Array<number> = []
  const returned: Array<number> = []
  let held = 0
  let mostInFlight = 0
  let [operations, mostOperations] = [0, 0]
  const operate = <A>(kind: "claim" | "settle", count: number, work: () => A) =>
    Effect.acquireUseRelease(
      Effect.sync(() => mostOperations = Math.max(mostOperations, ++operations)),
      () => Effect.andThen(Effect.yieldNow, Effect.map(before(kind, count), work)),
      () => Effect.sync(() => operations -= 1)
    )
  const sender = EndpointSender.make(senders, {
    claim: ({ ahead, limit }) => {
      const index = claims.push(0) - 1
      return operate("claim", index, () => {
        const claimed = due.splice(0, Math.max(0, Math.min(limit, Limits.deliveriesInFlight + ahead - held)))
        held += claimed.length
        claims[index] = claimed.length
        return claimed.map(deliveryOf)
      })
    },
    attempt: Effect.fnUntraced(function*({ id }) {
      const n = numberOf(id)
      sent.push(n)
      mostInFlight = Math.max(mostInFlight, senders.inFlight - others)
      return { deliveryId: id, result: yield* respond(n) }
    }),
    settle: (results) => {
      const index = settles.push(0) - 1
      return operate("settle", index, () => {
        held -= results.length
        settles[index] = results.length
        for (const { deliveryId, result } of results) {
          if (result._tag === "Returned") returned.push(numberOf(deliveryId))
        }
      })
    }
  })
  return {
    sender,
    claims,
    settles,
    sent,
    returned,
    /** Makes another delivery due. */
    add: (n: number) => due.push(n),
    /** How many are still due. */
    left: () => due.length,
    settled: () => settles.reduce((sum, n) => sum + n, 0),
    mostInFlight: () => mostInFlight,
    mostOperations: () => mostOperations,
    idle: FiberSet.awaitEmpty(fibers)
  }
})

const delivered = Effect.succeed<Storage.DeliveryResult>({ _tag: "Delivered" })
const exhausted = Effect.succeed<Storage.DeliveryResult>({ _tag: "Exhausted" })
const after = (millis: number, result: Effect.Effect<Storage.DeliveryResult>) => Effect.delay(result, millis)
const unavailable = new Storage.StorageError({ reason: "unavailable", cause: "gone" })
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("EndpointSender", () => {
  it.effect("sends a backlog as fast as the receiver responds, at most four at once, and settles in groups", () =>
    Effect.gen(function*() {
      const { claims, idle, left, mostInFlight, sender, sent, settled, settles } = yield* make({
        backlog: 1000,
        respond: () => after(2, delivered)
      })
      assert.strictEqual(yield* sender.begin, Limits.deliveriesInFlight)
      yield* TestClock.adjust("510 millis")
      yield* idle
      assert.deepStrictEqual(sent.toSorted((a, b) => a - b), numbers(1000))
      assert.deepStrictEqual([mostInFlight(), left(), settled()], [Limits.deliveriesInFlight, 0, 1000])
      assert.isBelow(claims.length, 40)
      assert.isBelow(settles.length, 40)
    }))

  it.effect("settles results while other deliveries have no response", () =>
    Effect.gen(function*() {
      const { sender, sent, settled } = yield* make({
        backlog: 200,
        respond: (n) => [5, 50, 150].includes(n) ? Effect.never : after(2, delivered)
      })
      yield* sender.begin
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(sent, 200)
      assert.strictEqual(settled(), 197)
    }))

  it.effect("settles results after a second, and later returns the rest, while every slot hangs", () =>
    Effect.gen(function*() {
      const { claims, returned, sender, sent, settled, settles } = yield* make({
        backlog: 200,
        respond: (n) => n >= 60 ? Effect.never : after(5, delivered)
      })
      yield* sender.begin
      yield* TestClock.adjust("1100 millis")
      assert.deepStrictEqual([settled(), returned], [60, []])
      yield* TestClock.adjust("3 seconds")
      assert.lengthOf(sent, 64)
      assert.isAbove(returned.length, 0)
      assert.strictEqual(settled(), 60 + returned.length)
      const operations = [claims.length, settles.length]
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([claims.length, settles.length], operations)
    }))

  it.effect("runs one storage operation at a time, and another when requested meanwhile", () =>
    Effect.gen(function*() {
      const { idle, mostOperations, sender, sent } = yield* make({ backlog: 500, respond: () => after(2, delivered) })
      const begun = yield* Effect.all([sender.begin, sender.begin, sender.begin], { concurrency: "unbounded" })
      assert.deepStrictEqual(begun, [Limits.deliveriesInFlight, 1, 0])
      for (let n = 0; n < 100; n++) {
        yield* Effect.forkChild(sender.begin)
        yield* TestClock.adjust("5 millis")
      }
      yield* idle
      assert.lengthOf(sent, 500)
      assert.strictEqual(mostOperations(), 1)
    }))

  it.effect("claims what became due during a claim that returned nothing", () =>
    Effect.gen(function*() {
      const isWritten = yield* Deferred.make<void>()
      const { add, claims, idle, sender, sent } = yield* make({
        backlog: 0,
        respond: () => delivered,
        // The delivery is written after this claim has read the table.
        before: (operation, count) => operation === "claim" && count === 0 ? Deferred.await(isWritten) : Effect.void
      })
      const first = yield* Effect.forkChild(sender.begin)
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* sender.begin, 1)
      yield* Deferred.succeed(isWritten, undefined)
      assert.strictEqual(yield* Fiber.join(first), 0)
      add(0)
      yield* idle
      assert.deepStrictEqual([sent, claims], [[0], [0, 1, 0]])
    }))

  it.effect("settles a result that arrives during a claim", () =>
    Effect.gen(function*() {
      const { idle, sender, sent, settled } = yield* make({
        backlog: 5,
        respond: (n) => after(n === 0 ? 10 : 30, delivered),
        before: (operation, count) => operation === "claim" && count === 1 ? Effect.sleep("1 second") : Effect.void
      })
      yield* sender.begin
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual([sent, settled()], [[0, 1, 2, 3], 1])
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("30 millis")
      yield* idle
      assert.deepStrictEqual([sent, settled()], [[0, 1, 2, 3, 4], 5])
    }))

  it.effect("prefetches no more than a slow receiver accepts in half a second", () =>
    Effect.gen(function*() {
      const { left, sender } = yield* make({ backlog: 1000, respond: () => after(1000, delivered) })
      yield* sender.begin
      yield* TestClock.adjust("10 seconds")
      // Four in flight, which are four a second.
      assert.isAtLeast(left(), 1000 - 4 * 11 - 2)
      assert.isAtMost(left(), 1000 - 4 * 10)
      yield* sender.close
    }))

  it.effect("sends new deliveries while others have no response, as long as there are free slots", () =>
    Effect.gen(function*() {
      const { add, claims, sender, sent } = yield* make({ backlog: 1, respond: () => Effect.never })
      assert.strictEqual(yield* sender.begin, 1)
      for (const [n, begun] of [[1, 1], [2, 1], [3, 1], [4, 0]] as const) {
        add(n)
        assert.strictEqual(yield* sender.begin, begun)
        yield* TestClock.adjust(0)
      }
      assert.deepStrictEqual([sent, claims], [[0, 1, 2, 3], [1, 1, 1, 1]])
    }))

  it.effect("returns what it prefetched when one fails, before it sends anything else", () =>
    Effect.gen(function*() {
      const { idle, returned, sender, sent } = yield* make({
        backlog: 100,
        respond: (n) => n === 20 ? after(5, exhausted) : after(2, delivered)
      })
      yield* sender.begin
      yield* TestClock.adjust("17 millis")
      assert.isAbove(returned.length, 50)
      assert.isBelow(Math.max(...sent), Math.min(...returned))
      yield* TestClock.adjust("1 second")
      yield* idle
      assert.strictEqual(sent.length + returned.length, 100)
    }))

  it.effect("returns what a claim prefetches when a delivery fails during that claim", () =>
    Effect.gen(function*() {
      const { idle, left, returned, sender, sent, settled } = yield* make({
        backlog: 50,
        respond: (n) => n === 3 ? after(5, exhausted) : after(2, delivered),
        before: (operation, count) => operation === "claim" && count === 1 ? Effect.sleep("10 millis") : Effect.void
      })
      yield* sender.begin
      yield* TestClock.adjust("15 millis")
      assert.deepStrictEqual([sent, left()], [[0, 1, 2, 3], 0])
      assert.deepStrictEqual(returned, numbers(50).slice(4))
      yield* idle
      assert.strictEqual(settled(), 50)
    }))

  it.effect("returns what has waited for two seconds", () =>
    Effect.gen(function*() {
      const { returned, sender } = yield* make({
        backlog: 200,
        respond: (n) => after(n < 20 ? 2 : 2500, delivered)
      })
      yield* sender.begin
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(returned, [])
      yield* TestClock.adjust("1 second")
      assert.isAbove(returned.length, 50)
      yield* sender.close
    }))

  it.effect("returns what has not been sent when it is closed, and claims nothing more", () =>
    Effect.gen(function*() {
      const { idle, left, returned, sender, sent, settled } = yield* make({
        backlog: 500,
        respond: () => after(10, delivered)
      })
      yield* sender.begin
      yield* TestClock.adjust("35 millis")
      const before = left()
      yield* sender.close
      assert.strictEqual(yield* sender.begin, 0)
      yield* TestClock.adjust("10 millis")
      yield* idle
      assert.isAbove(returned.length, 0)
      assert.deepStrictEqual([sent.length + returned.length, left()], [500 - before, before])
      assert.strictEqual(settled(), 500 - before)
    }))

  it.effect("returns what it gets from a claim during which it is closed", () =>
    Effect.gen(function*() {
      const { idle, returned, sender, sent } = yield* make({
        backlog: 4,
        respond: () => delivered,
        before: (operation) => operation === "claim" ? Effect.sleep("1 second") : Effect.void
      })
      yield* Effect.forkChild(sender.begin)
      yield* TestClock.adjust("500 millis")
      yield* sender.close
      yield* TestClock.adjust("500 millis")
      yield* idle
      assert.deepStrictEqual([sent, returned], [[], [0, 1, 2, 3]])
    }))

  it.effect("claims nothing when it is closed while idle", () =>
    Effect.gen(function*() {
      const { claims, sender } = yield* make({ backlog: 1, respond: () => delivered })
      yield* sender.close
      assert.strictEqual(yield* sender.begin, 0)
      assert.deepStrictEqual(claims, [])
    }))

  it.effect.each([["fails", Effect.fail(unavailable)], ["dies", Effect.die("a bug")]] as const)(
    "begins again after a first claim that %s",
    ([, failure]) =>
      Effect.gen(function*() {
        const { idle, sender, sent, settled } = yield* make({
          backlog: 1,
          respond: () => delivered,
          before: (operation, count) => operation === "claim" && count === 0 ? failure : Effect.void
        })
        assert.strictEqual((yield* Effect.exit(sender.begin))._tag, "Failure")
        yield* idle
        assert.strictEqual(yield* sender.begin, 1)
        yield* idle
        assert.deepStrictEqual([sent, settled()], [[0], 1])
      })
  )

  it.effect.each([["fails", Effect.fail(unavailable)], ["dies", Effect.die("a bug")]] as const)(
    "claims again after the next response when a later claim %s",
    ([, failure]) =>
      Effect.gen(function*() {
        const { idle, sender, sent, settled } = yield* make({
          backlog: 6,
          respond: (n) => after(10 + n, delivered),
          before: (operation, count) => operation === "claim" && count === 1 ? failure : Effect.void
        })
        yield* sender.begin
        yield* TestClock.adjust("10 millis")
        assert.deepStrictEqual([sent.length, settled()], [4, 1])
        yield* TestClock.adjust("30 millis")
        yield* idle
        assert.deepStrictEqual([sent.length, settled()], [6, 6])
      })
  )

  it.effect.each([["fails", Effect.fail(unavailable)], ["dies", Effect.die("a bug")]] as const)(
    "goes on, without the results of one group, when a settle %s",
    ([, failure]) =>
      Effect.gen(function*() {
        const { idle, sender, sent, settled } = yield* make({
          backlog: 3,
          respond: (n) => after(10 + n, delivered),
          before: (operation, count) => operation === "settle" && count === 0 ? failure : Effect.void
        })
        yield* sender.begin
        yield* TestClock.adjust("20 millis")
        yield* idle
        assert.deepStrictEqual([sent, settled()], [[0, 1, 2], 2])
        assert.strictEqual(yield* sender.begin, 0)
      })
  )

  it.effect.each([["fails", Effect.fail(unavailable)], ["dies", Effect.die("a bug")]] as const)(
    "claims what has become due even when the settle before it %s",
    ([, failure]) =>
      Effect.gen(function*() {
        const { add, claims, sender, sent } = yield* make({
          backlog: 2,
          respond: (n) => n === 0 ? after(10, delivered) : Effect.never,
          before: (operation, count) => operation === "settle" && count === 0 ? failure : Effect.void
        })
        yield* sender.begin
        add(2)
        yield* TestClock.adjust("10 millis")
        assert.deepStrictEqual([sent, claims], [[0, 1, 2], [2, 1]])
      })
  )

  it.effect("is idle again a second after an attempt has died", () =>
    Effect.gen(function*() {
      const { idle, sender, sent } = yield* make({ backlog: 1, respond: () => Effect.die("a bug") })
      yield* sender.begin
      yield* TestClock.adjust("1 second")
      yield* idle
      assert.strictEqual(yield* sender.begin, 0)
      assert.deepStrictEqual(sent, [0])
    }))

  it.effect("is expired when it had nothing to do for a minute", () =>
    Effect.gen(function*() {
      const { idle, sender } = yield* make({ backlog: 1, respond: () => after(1000, delivered) })
      yield* sender.begin
      assert.isFalse(sender.isExpired(Infinity))
      yield* TestClock.adjust("1 second")
      yield* idle
      assert.deepStrictEqual([60_999, 61_000].map(sender.isExpired), [false, true])
    }))

  it.effect.each([[249, 4], [250, 2], [499, 2], [500, 1], [999, 1], [1000, 0]])(
    "with %d in flight to others uses %d slots",
    ([others = 0, slots = 0]) =>
      Effect.gen(function*() {
        const { mostInFlight, sender } = yield* make({ backlog: 100, respond: () => Effect.never, others })
        assert.strictEqual(yield* sender.begin, slots)
        yield* TestClock.adjust(0)
        assert.isAtMost(mostInFlight(), slots)
      })
  )
})
