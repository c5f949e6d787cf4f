import { assert, it } from "@effect/vitest"
import { Events, Storage, WebhookTransport } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Steps from "../support/EventSteps.ts"
import * as Instant from "../support/Instant.ts"
import * as Receiver from "../support/Receiver.ts"

const onReceiver = <A, E, R>(
  test: (receiver: Effect.Success<typeof Receiver.make>) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(
    Receiver.make,
    (receiver) => Effect.provide(test(receiver), TestEngine.layer({ ...Instant.options, transport: receiver.layer }))
  )

const minutes = Duration.minutes
const hours = Duration.hours
const none = { lost: 0, duplicated: 0 }

describe("a receiver", () => {
  it.effect("that was down for three days gets every event once, within a minute of being found back", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.refusing)
        const first = yield* Steps.events(50)
        yield* TestEngine.advance(hours(36))
        const second = yield* Steps.events(50)
        yield* TestEngine.advance(hours(36))
        assert.deepStrictEqual(yield* Steps.states, { pending: 100 })
        yield* receiver.behave(Receiver.answering(200))
        const backAt = yield* DateTime.now
        yield* TestEngine.advance(minutes(16))
        assert.deepStrictEqual(yield* receiver.count([...first, ...second]), none)
        const [probe, ...others] = yield* receiver.taken
        if (probe === undefined) return assert.fail("something arrives")
        assert.isAtMost(Duration.toMinutes(DateTime.distance(backAt, probe.at)), 15)
        const last = others.reduce((at, receipt) => DateTime.max(at, receipt.at), probe.at)
        assert.isAtMost(Duration.toMinutes(DateTime.distance(probe.at, last)), 1)
        // Five failures, then a probe a quarter of an hour.
        assert.isAtMost((yield* receiver.attempts).length, 100 + 5 + 72 * 4 + 10)
      })
    ))

  it.effect("that takes a second for each gets a backlog of 100 within a minute, without ever more than four at once", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.refusing)
        const ids = yield* Steps.events(100)
        yield* TestEngine.advance("29 seconds")
        yield* receiver.behave(Receiver.answering(200, { after: Duration.seconds(1) }))
        yield* Steps.run(Duration.seconds(62), Duration.millis(250))
        assert.deepStrictEqual(yield* receiver.count(ids), none)
        assert.strictEqual(yield* receiver.mostInFlight, 4)
      })
    ))

  it.effect("that is up and down by turns loses nothing and gets nothing twice", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        const ids: Array<string> = []
        for (let turn = 0; turn < 48; turn++) {
          yield* receiver.behave(turn % 2 === 0 ? Receiver.refusing : Receiver.answering(200))
          for (let n = 0; n < 4; n++) {
            ids.push(yield* Steps.event)
            yield* TestEngine.advance(minutes(5))
          }
        }
        yield* TestEngine.advance(minutes(16))
        assert.deepStrictEqual(yield* receiver.count(ids), none)
        assert.deepStrictEqual(yield* Steps.states, { delivered: 192 })
      })
    ))

  it.effect.each([500, 503, 302, 404])(
    "that answers %d is tried again until it takes everything",
    (status) =>
      onReceiver((receiver) =>
        Effect.gen(function*() {
          yield* Steps.setWebhook()
          yield* receiver.behave(Receiver.answering(status))
          const ids = yield* Steps.events(12)
          yield* TestEngine.advance(hours(4))
          assert.deepStrictEqual(yield* Steps.states, { pending: 12 })
          yield* receiver.behave(Receiver.answering(204))
          yield* TestEngine.advance(minutes(16))
          assert.deepStrictEqual(yield* receiver.count(ids), none)
        })
      )
  )

  it.effect("that redirects is logged as a redirect", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const log = yield* Events.Events
        yield* Steps.setWebhook()
        yield* Steps.event
        yield* receiver.behave(Receiver.answering(302))
        yield* TestEngine.drain
        yield* receiver.behave(Receiver.answering(404))
        yield* TestEngine.advance("7 seconds")
        const { items: [delivery] } = yield* log.listDeliveries(accountId, {}, { limit: 1, after: Option.none() })
        assert.deepStrictEqual(
          delivery?.attempts.map(({ errorCode, statusCode }) => [statusCode, errorCode]),
          [[302, "redirect_not_followed"], [404, "http_error"]]
        )
      })
    ))

  it.effect("that is disabled by what it answers leaves a warning that names the account", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const warnings: Array<string> = []
        const logger = Logger.make(({ logLevel, message }) => {
          if (logLevel === "Warn") warnings.push(String(message))
        })
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.answering(410))
        yield* Steps.events(4)
        yield* TestEngine.drain.pipe(Effect.provide(Logger.layer([logger])))
        assert.deepStrictEqual(warnings, [
          `The webhook of ${accountId} is disabled (gone); its events are held until its owner enables it`
        ])
      })
    ))

  it.effect("that answers 429 is left alone as long as it asks for, within twice the step", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.answering(429, { retryAfter: Duration.seconds(9) }))
        yield* Steps.event
        yield* TestEngine.advance("8 seconds")
        assert.strictEqual((yield* receiver.attempts).length, 1)
        yield* TestEngine.advance("1 second")
        assert.strictEqual((yield* receiver.attempts).length, 2)
      })
    ))

  it.effect("that answers 410 is sent nothing more, and gets everything when it is enabled again", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.answering(410))
        const before = yield* Steps.event
        yield* TestEngine.drain
        assert.deepInclude(yield* Steps.getWebhook, { enabled: false, disabledReason: "gone" })
        const held = yield* Steps.events(9)
        yield* TestEngine.advance("10 days")
        assert.strictEqual((yield* receiver.attempts).length, 1)
        assert.deepStrictEqual(yield* Steps.states, { held: 10 })
        yield* receiver.behave(Receiver.answering(200))
        const { disabledReason, enabled } = yield* Steps.setWebhook()
        assert.deepStrictEqual([enabled, disabledReason], [true, undefined])
        yield* TestEngine.advance("1 minute")
        assert.deepStrictEqual(yield* receiver.count([before, ...held]), none)
      })
    ))

  it.effect("that fails for five days is disabled, and loses nothing by it", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.answering(500))
        const ids = yield* Steps.events(20)
        yield* TestEngine.advance("119 hours")
        assert.isTrue((yield* Steps.getWebhook).enabled)
        yield* TestEngine.advance(hours(2))
        assert.deepInclude(yield* Steps.getWebhook, { enabled: false, disabledReason: "failing" })
        assert.deepStrictEqual(yield* Steps.states, { held: 20 })
        yield* receiver.behave(Receiver.answering(200))
        yield* Steps.setWebhook()
        yield* TestEngine.advance("1 minute")
        assert.deepStrictEqual(yield* receiver.count(ids), none)
      })
    ))

  it.effect("that never accepts one event but accepts others loses only that one", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        const poison = yield* Steps.event
        yield* receiver.behave((request) =>
          Receiver.answering(request.headers["webhook-id"] === poison ? 500 : 200)(request)
        )
        for (let n = 0; n < 100; n++) {
          yield* TestEngine.advance(hours(1))
          yield* Steps.event
        }
        yield* TestEngine.advance(minutes(1))
        assert.deepStrictEqual(yield* Steps.states, { exhausted: 1, delivered: 100 })
        const tries = (yield* receiver.attempts).filter(({ eventId }) => eventId === poison)
        assert.strictEqual(tries.length, 10)
      })
    ))

  it.effect.each([2, 4])(
    "that takes %d events never, and others always, gets the others, and the endpoint stays enabled",
    (count) =>
      onReceiver((receiver) =>
        Effect.gen(function*() {
          yield* Steps.setWebhook()
          const refused = new Set<string>(yield* Steps.events(count))
          yield* receiver.behave((request) =>
            Receiver.answering(refused.has(request.headers["webhook-id"] ?? "") ? 400 : 200)(request)
          )
          const good: Array<string> = []
          for (let n = 0; n < 6 * 48; n++) {
            yield* TestEngine.advance(minutes(30))
            assert.deepStrictEqual(yield* receiver.count(good), none)
            good.push(yield* Steps.event)
          }
          yield* TestEngine.advance(minutes(16))
          assert.deepStrictEqual(yield* receiver.count(good), none)
          assert.deepStrictEqual(yield* Steps.states, { exhausted: count, delivered: good.length })
          assert.isTrue((yield* Steps.getWebhook).enabled)
        })
      )
  )

  it.effect("that is down while senders are lost again and again gets everything later", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const storage = yield* Storage.Storage
        yield* Steps.setWebhook()
        const ids = yield* Steps.events(4)
        for (let n = 0; n < 12; n++) {
          const lost = { accountId, now: yield* DateTime.now, limit: 4, token: Factories.token() }
          assert.strictEqual((yield* storage.deliveries.claim(lost)).length, 4)
          yield* TestClock.adjust("61 seconds")
        }
        yield* receiver.behave(Receiver.refusing)
        ids.push(...(yield* Steps.events(10)))
        yield* TestEngine.advance(minutes(5))
        yield* receiver.behave(Receiver.answering(200))
        yield* TestEngine.advance(minutes(16))
        assert.deepStrictEqual(yield* receiver.count(ids), none)
        assert.deepStrictEqual(yield* Steps.states, { delivered: 14 })
      })
    ))

  it.effect("that answers 410 to a tenth attempt gets the event when it is enabled again", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        const troubled = yield* Steps.event
        let tries = 0
        yield* receiver.behave((request) => {
          if (request.headers["webhook-id"] !== troubled) return Receiver.answering(200)(request)
          tries += 1
          return Receiver.answering(tries < 10 ? 500 : tries === 10 ? 410 : 200)(request)
        })
        for (let n = 0; n < 100 && tries < 10; n++) {
          yield* TestEngine.advance(hours(1))
          yield* Steps.event
        }
        assert.deepInclude(yield* Steps.getWebhook, { enabled: false, disabledReason: "gone" })
        yield* Steps.setWebhook()
        yield* TestEngine.advance(minutes(1))
        assert.deepStrictEqual(yield* receiver.count([troubled]), none)
      })
    ))

  it.effect("that sets its webhook whenever it starts, and starts every minute of an outage, loses nothing", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.refusing)
        const ids = yield* Steps.events(20)
        for (let n = 0; n < 120; n++) {
          yield* Steps.setWebhook()
          yield* TestEngine.advance(minutes(1))
        }
        yield* receiver.behave(Receiver.answering(200))
        yield* TestEngine.advance(minutes(16))
        assert.deepStrictEqual(yield* receiver.count(ids), none)
        assert.deepStrictEqual(yield* Steps.states, { delivered: 20 })
      })
    ))

  it.effect("that has moved is not disabled by what its old address answers late", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook({ url: "https://old.example.com/" })
        yield* receiver.behave((request) =>
          Receiver.answering(request.url.includes("old") ? 410 : 200, { after: Duration.seconds(3) })(request)
        )
        const ids = yield* Steps.events(1)
        yield* Steps.run(Duration.seconds(1), Duration.millis(250))
        yield* Steps.setWebhook({ url: "https://new.example.com/" })
        yield* TestClock.adjust("3 seconds")
        yield* TestClock.adjust("10 seconds")
        assert.isTrue((yield* Steps.getWebhook).enabled)
        assert.deepStrictEqual(yield* receiver.count(ids), none)
      })
    ))

  it.effect("that refuses an event during a redelivery gets it once more", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const log = yield* Events.Events
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.answering(500, { after: Duration.seconds(3) }))
        const id = yield* Steps.event
        yield* Steps.run(Duration.seconds(1), Duration.millis(250))
        assert.strictEqual((yield* log.redeliver(accountId, id)).state, "sending")
        yield* receiver.behave(Receiver.answering(200))
        yield* TestClock.adjust("2500 millis")
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* receiver.count([id]), none)
      })
    ))

  it.effect("whose response is cut off gets the event again, with the same id", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* receiver.behave((request) =>
          Effect.andThen(
            receiver.take({ eventId: request.headers["webhook-id"] ?? "", url: "", at: DateTime.makeUnsafe(0) }),
            new WebhookTransport.TransportFailed({ errorCode: "connection_reset", cause: "cut" })
          )
        )
        const ids = yield* Steps.events(3)
        yield* TestEngine.drain
        yield* receiver.behave(Receiver.answering(200))
        yield* TestEngine.advance(minutes(1))
        assert.deepStrictEqual(yield* receiver.count(ids), { lost: 0, duplicated: 3 })
        assert.strictEqual((yield* receiver.taken).length, 6)
      })
    ))

  it.effect("that never answers is given 15 s each time, holds four places, and gets everything later", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        yield* Steps.setWebhook()
        yield* receiver.behave(() => Effect.never)
        const ids = yield* Steps.events(10)
        yield* Steps.run(Duration.seconds(60), Duration.seconds(1))
        assert.strictEqual(yield* receiver.mostInFlight, 4)
        const log = yield* Events.Events
        const { items } = yield* log.listDeliveries(accountId, {}, {
          limit: 100,
          after: Option.none()
        })
        const attempts = items.flatMap((delivery) => delivery.attempts)
        assert.strictEqual(attempts.length, 8)
        for (const { durationMs, errorCode } of attempts) {
          assert.strictEqual(errorCode, "timeout")
          assert.strictEqual(durationMs, 15_000)
        }
        yield* receiver.behave(Receiver.answering(200))
        yield* Steps.run(minutes(3), Duration.seconds(1))
        assert.deepStrictEqual(yield* receiver.count(ids), none)
      })
    ))

  it.effect("whose webhook was removed gets nothing more, and what it missed when it asks for it", () =>
    onReceiver((receiver) =>
      Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const log = yield* Events.Events
        yield* Steps.setWebhook()
        yield* receiver.behave(Receiver.answering(500))
        const ids = yield* Steps.events(3)
        const since = yield* DateTime.now
        yield* TestEngine.drain
        yield* Steps.removeWebhook
        assert.deepStrictEqual(yield* Steps.states, { dropped: 3 })
        const unheard = yield* Steps.event
        yield* receiver.behave(Receiver.answering(200))
        yield* Steps.setWebhook()
        yield* TestEngine.advance(hours(1))
        assert.deepStrictEqual(yield* receiver.taken, [])
        assert.strictEqual(yield* log.recover(accountId, { since }), 4)
        yield* TestEngine.advance("1 minute")
        assert.deepStrictEqual(yield* receiver.count([...ids, unheard]), none)
        assert.strictEqual(yield* log.recover(accountId, { since }), 0)
      })
    ))
})
