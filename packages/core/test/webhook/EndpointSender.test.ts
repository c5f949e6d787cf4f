import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, FiberSet } from "effect"
import { TestClock } from "effect/testing"
import { Ids, Limits, type Storage } from "@outdial/core"
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

/** A sender of `backlog` deliveries, each of which takes as long as `behave` says, and what it does. */
const make = Effect.fnUntraced(function*(
  backlog: number,
  behave: (n: number) => Effect.Effect<Storage.DeliveryResult>,
  inFlight = 0
) {
  const fibers = yield* FiberSet.make<void, unknown>()
  const log: Array<string> = []
  const queue = Array.from({ length: backlog }, (_, n) => n)
  const numbers = new Map(queue.map((n) => [deliveryOf(n).id, n]))
  const senders: EndpointSender.Senders = {
    run: (effect) => Effect.asVoid(FiberSet.run(fibers, effect)),
    inFlight
  }
  let held = 0
  let most = 0
  let [visitors, mostVisitors] = [0, 0]
  const atStorage = Effect.fnUntraced(function*<A>(work: () => A) {
    visitors += 1
    mostVisitors = Math.max(mostVisitors, visitors)
    yield* Effect.yieldNow
    visitors -= 1
    return work()
  })
  const add = (n: number) => {
    numbers.set(deliveryOf(n).id, n)
    queue.push(n)
  }
  const sent: Array<number> = []
  const returned: Array<number> = []
  const sender = EndpointSender.make(senders, {
    claim: ({ ahead, limit }) =>
      atStorage(() => {
        const claimed = queue.splice(0, Math.min(limit, Limits.deliveriesInFlight + ahead - held))
        held += claimed.length
        log.push(`claim ${claimed.length}`)
        return claimed.map(deliveryOf)
      }),
    attempt: Effect.fnUntraced(function*({ id }) {
      const n = numbers.get(id) ?? -1
      sent.push(n)
      most = Math.max(most, senders.inFlight - inFlight)
      return { deliveryId: id, result: yield* behave(n) }
    }),
    settle: (results) =>
      atStorage(() => {
        held -= results.length
        for (const { deliveryId, result } of results) {
          if (result._tag === "Returned") returned.push(numbers.get(deliveryId) ?? -1)
        }
        log.push(`settle ${results.length}`)
      })
  })
  return {
    add,
    sender,
    log,
    sent,
    returned,
    most: () => most,
    mostVisitors: () => mostVisitors,
    left: () => queue.length,
    idle: FiberSet.awaitEmpty(fibers)
  }
})

const arrives = Effect.succeed<Storage.DeliveryResult>({ _tag: "Delivered" })
const fails = Effect.succeed<Storage.DeliveryResult>({ _tag: "Exhausted" })
const after = (millis: number, result: Effect.Effect<Storage.DeliveryResult>) => Effect.delay(result, millis)

describe("EndpointSender", () => {
  it.effect("sends a backlog as fast as it is answered, never more than four at once, and writes in groups", () =>
    Effect.gen(function*() {
      const { idle, left, log, most, sender, sent } = yield* make(1000, () => after(2, arrives))
      assert.strictEqual(yield* sender.begin, Limits.deliveriesInFlight)
      yield* TestClock.adjust("500 millis")
      yield* idle
      assert.deepStrictEqual(sent.toSorted((a, b) => a - b), Array.from({ length: 1000 }, (_, n) => n))
      assert.deepStrictEqual([most(), left(), sender.isExpired(Infinity)], [Limits.deliveriesInFlight, 0, true])
      assert.isBelow(log.filter((line) => line.startsWith("claim")).length, 40)
      assert.isBelow(log.filter((line) => line.startsWith("settle")).length, 40)
    }))

  it.effect("writes what arrives while others are not answered", () =>
    Effect.gen(function*() {
      const { log, sender, sent } = yield* make(200, (n) => [5, 50, 150].includes(n) ? Effect.never : after(2, arrives))
      yield* sender.begin
      yield* TestClock.adjust("1 second")
      assert.lengthOf(sent, 200)
      const written = log.filter((line) => line.startsWith("settle")).map((line) =>
        Number(line.slice("settle ".length))
      )
      assert.strictEqual(written.reduce((sum, n) => sum + n, 0), 197)
    }))

  it.effect("puts on record what arrived, and gives back the rest, while every place hangs", () =>
    Effect.gen(function*() {
      const { log, returned, sender, sent } = yield* make(200, (n) => n >= 60 ? Effect.never : after(5, arrives))
      yield* sender.begin
      const told = () => log.filter((line) => line.startsWith("settle")).map((line) => Number(line.split(" ")[1]))
      for (let second = 0; second < 4; second++) {
        yield* TestClock.adjust("1 second")
        yield* sender.maintain
        yield* TestClock.adjust(0)
      }
      assert.lengthOf(sent, 64)
      assert.strictEqual(told().reduce((sum, n) => sum + n, 0), 60 + returned.length)
      assert.isAbove(returned.length, 0)
      const settles = told().length
      for (let second = 0; second < 10; second++) {
        yield* TestClock.adjust("1 second")
        yield* sender.maintain
      }
      assert.strictEqual(told().length, settles, "what hangs is not claimed around")
    }))

  it.effect("runs one storage operation at a time, and repeats it when requested meanwhile", () =>
    Effect.gen(function*() {
      const { idle, mostVisitors, sender, sent } = yield* make(500, () => after(2, arrives))
      const begun = yield* Effect.all([sender.begin, sender.begin, sender.begin], { concurrency: "unbounded" })
      assert.deepStrictEqual(begun, [Limits.deliveriesInFlight, 1, 0])
      for (let n = 0; n < 100; n++) {
        yield* Effect.forkChild(sender.begin)
        yield* TestClock.adjust("5 millis")
      }
      yield* idle
      assert.lengthOf(sent, 500)
      assert.strictEqual(mostVisitors(), 1)
    }))

  it.effect("prefetches no more than a slow receiver accepts in half a second", () =>
    Effect.gen(function*() {
      const { left, sender } = yield* make(1000, () => after(1000, arrives))
      yield* sender.begin
      yield* TestClock.adjust("10 seconds")
      // Four in flight, which are four a second.
      assert.isAtLeast(left(), 1000 - 4 * 11 - 2)
      assert.isAtMost(left(), 1000 - 4 * 10)
      yield* sender.close
    }))

  it.effect("sends new deliveries while others have no response, as long as there are free slots", () =>
    Effect.gen(function*() {
      const { add, sender, sent } = yield* make(1, () => Effect.never)
      assert.strictEqual(yield* sender.begin, 1)
      for (const [n, places] of [[1, 1], [2, 1], [3, 1], [4, 0]] as const) {
        add(n)
        assert.strictEqual(yield* sender.begin, places)
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual(sent, [0, 1, 2, 3])
    }))

  it.effect("gives back what it claimed ahead when one fails, before it sends anything else", () =>
    Effect.gen(function*() {
      const { idle, returned, sender, sent } = yield* make(100, (n) => n === 20 ? after(5, fails) : after(2, arrives))
      yield* sender.begin
      yield* TestClock.adjust("17 millis")
      assert.isAbove(returned.length, 50)
      assert.isBelow(Math.max(...sent), Math.min(...returned))
      yield* TestClock.adjust("1 second")
      yield* idle
      assert.strictEqual(sent.length + returned.length, 100)
    }))

  it.effect("gives back what has waited for two seconds", () =>
    Effect.gen(function*() {
      const { returned, sender } = yield* make(200, (n) => after(n < 20 ? 2 : 2500, arrives))
      yield* sender.begin
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(returned, [])
      yield* TestClock.adjust("1 second")
      assert.isAbove(returned.length, 50)
      yield* sender.close
    }))

  it.effect("gives back what has not been sent when it is closed, and claims nothing more", () =>
    Effect.gen(function*() {
      const { idle, left, log, returned, sender, sent } = yield* make(500, () => after(10, arrives))
      yield* sender.begin
      yield* TestClock.adjust("35 millis")
      const before = left()
      yield* sender.close
      yield* TestClock.adjust("1 second")
      yield* idle
      assert.isAbove(returned.length, 0)
      assert.strictEqual(sent.length + returned.length + before, 500)
      assert.strictEqual(left(), before)
      assert.isTrue(sender.isExpired(Infinity), log.join())
    }))

  it.effect("is spent when it had nothing to do for a minute", () =>
    Effect.gen(function*() {
      const { idle, sender } = yield* make(1, () => after(1000, arrives))
      yield* sender.begin
      assert.isFalse(sender.isExpired(Infinity))
      yield* TestClock.adjust("1 second")
      yield* idle
      assert.deepStrictEqual([60_999, 61_000].map(sender.isExpired), [false, true])
    }))

  it.effect.each([[249, 4], [250, 2], [499, 2], [500, 1], [999, 1], [1000, 0]])(
    "with %d in flight to others takes %d places",
    ([others = 0, places = 0]) =>
      Effect.gen(function*() {
        const { most, sender } = yield* make(100, () => Effect.never, others)
        assert.strictEqual(yield* sender.begin, places)
        yield* Effect.yieldNow
        assert.isAtMost(most(), places)
      })
  )
})
