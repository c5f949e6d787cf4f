/** Endpoints that fail: the breaker, its probes and recovery, disabling, held and dropped events. */
import { assert } from "@effect/vitest"
import type { Ids } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Steps from "../DeliverySteps.ts"
import * as Fixture from "../../storage/Fixture.ts"

const day = 86_400

export const cases: Cases = {
  "leaves an endpoint alone for 30 s after five failures in a row": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.open(fixture)
    yield* Steps.event(fixture, 1)
    assert.deepStrictEqual(yield* Steps.claim(fixture, 29), [])
    assert.isFalse(yield* Fixture.isDue(fixture, "delivery", 29))
    assert.isTrue(yield* Fixture.isDue(fixture, "delivery", 30))
    assert.strictEqual((yield* Steps.claim(fixture, 30)).length, 1)
  }),

  "opens only after failures in a row": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.events(fixture, 4)
    yield* Steps.fail(fixture, 0)
    yield* Steps.event(fixture, 1)
    yield* Steps.succeed(fixture, 1)
    yield* Steps.events(fixture, 4, 2)
    yield* Steps.fail(fixture, 2)
    yield* Steps.event(fixture, 3)
    assert.strictEqual((yield* Steps.claim(fixture, 3)).length, 1)
  }),

  "probes with another event after each failed probe, first with those that were never refused": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* Fixture.setWebhook(fixture)
      const ids = yield* Steps.open(fixture)
      const probes: Array<Ids.EventId> = []
      for (const at of [30, 90, 210, 450, 930, 1830]) {
        probes.push(...(yield* Steps.fail(fixture, at)).map(({ eventId }) => eventId))
      }
      assert.sameMembers(probes.slice(0, 5), ids)
      assert.strictEqual(probes[5], probes[0])
      const good = yield* Steps.event(fixture, 1900)
      assert.deepStrictEqual((yield* Steps.succeed(fixture, 2730)).map(({ eventId }) => eventId), [good])
      const next = yield* Steps.succeed(fixture, 2730)
      assert.deepStrictEqual(next.map(({ attempts, cause }) => [attempts, cause]), [[1, "schedule"]])
    }
  ),

  "sends one probe at a time, due or not, with concurrent claims": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.open(fixture)
    const many = Array.from({ length: 20 }, () => Steps.claim(fixture, 30))
    const [probe, ...others] = (yield* Effect.all(many, { concurrency: "unbounded" })).flat()
    assert.deepStrictEqual(others, [])
    assert.deepInclude(probe, { cause: "probe", attempts: 1, dueAt: Factories.at(60) })
    assert.isFalse(yield* Fixture.isDue(fixture, "delivery", 31))
  }),

  "uses up no attempt with a probe that fails, and pauses for twice as long up to 15 minutes": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const ids = yield* Steps.open(fixture)
    let at = 0
    for (const pause of [30, 60, 120, 240, 480, 900, 900]) {
      assert.deepStrictEqual(yield* Steps.claim(fixture, at + pause - 1), [])
      at += pause
      assert.strictEqual((yield* Steps.fail(fixture, at)).length, 1)
    }
    const log = yield* Steps.log(fixture)
    const causes = log.flatMap(({ attempts }) => attempts.map(({ cause }) => cause))
    assert.strictEqual(causes.filter((cause) => cause === "probe").length, 7)
    const states = yield* Effect.forEach(ids, (id) => fixture.storage.events.get(fixture.accountId, id))
    assert.deepStrictEqual(
      states.map((event) => Option.flatMap(event, ({ delivery }) => delivery)),
      ids.map(() => Option.some({ state: "pending" as const, attempts: 1 }))
    )
  }),

  "does not read the late failure of an earlier attempt as that of a probe": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.events(fixture, 4)
    const slow = Factories.token()
    const late = yield* Steps.claim(fixture, 0, slow)
    const failure = { _tag: "RetryAt", at: Factories.at(60) } as const
    yield* Steps.settle(fixture, slow, 1, failure, late.slice(0, 3))
    yield* Steps.events(fixture, 2, 1)
    yield* Steps.fail(fixture, 1)
    yield* Steps.settle(fixture, slow, 16, failure, late.slice(3))
    assert.deepStrictEqual(yield* Steps.claim(fixture, 30), [])
    assert.strictEqual((yield* Steps.claim(fixture, 31)).length, 1)
  }),

  "sends everything that waits once a probe arrives: one at a time, then two, then four": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.open(fixture)
    yield* Steps.events(fixture, 10, 1)
    yield* Steps.succeed(fixture, 30)
    assert.strictEqual((yield* Steps.succeed(fixture, 30)).length, 1)
    assert.strictEqual((yield* Steps.succeed(fixture, 34.999)).length, 1)
    assert.strictEqual((yield* Steps.succeed(fixture, 35)).length, 2)
    assert.strictEqual((yield* Steps.succeed(fixture, 40)).length, 4)
    assert.strictEqual((yield* Steps.succeed(fixture, 41)).length, 4)
    assert.strictEqual((yield* Steps.succeed(fixture, 42)).length, 2)
    assert.strictEqual((yield* Steps.log(fixture, { states: ["delivered"] })).length, 15)
  }),

  "reclaims a probe whose sender has gone, without counting an attempt": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.open(fixture)
    const [lost] = yield* Steps.claim(fixture, 30)
    assert.deepStrictEqual(yield* Steps.claim(fixture, 89), [])
    assert.isTrue(yield* Fixture.isDue(fixture, "delivery", 90))
    const [again] = yield* Steps.claim(fixture, 90)
    assert.deepStrictEqual([again?.cause, again?.attempts], ["probe", lost?.attempts])
  }),

  "counts no attempt and no failure for a delivery that was not sent": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.events(fixture, 4)
    for (const seconds of [0, 60]) {
      const token = Factories.token()
      const claimed = yield* Steps.claim(fixture, seconds, token)
      assert.deepStrictEqual(claimed.map(({ attempts }) => attempts), [0, 0, 0, 0])
      yield* Steps.settle(fixture, token, seconds, { _tag: "NotSent", at: Factories.at(seconds + 60) }, claimed)
      assert.deepStrictEqual(yield* Steps.claim(fixture, seconds + 59), [])
    }
    assert.strictEqual((yield* Steps.succeed(fixture, 120)).length, 4)
  }),

  "disables an endpoint whose receiver answers 410, and holds its events until it is enabled": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.events(fixture, 2)
    const token = Factories.token()
    yield* Steps.settle(fixture, token, 1, { _tag: "Gone" }, (yield* Steps.claim(fixture, 0, token)).slice(0, 1))
    const endpoint = Option.getOrThrow(yield* fixture.storage.webhooks.get(fixture.accountId))
    assert.deepInclude(endpoint, { enabled: false, disabledReason: "gone", disabledAt: Factories.at(1) })
    yield* Steps.event(fixture, 2)
    assert.isFalse(yield* Fixture.isDue(fixture, "delivery", 50))
    assert.deepStrictEqual(yield* Steps.claim(fixture, 50), [])
    const states = (yield* Steps.log(fixture)).map(({ state }) => state)
    assert.sameMembers(states, ["held", "held", "sending"])
    assert.deepStrictEqual(yield* Steps.log(fixture, { states: ["pending"] }), [])
    assert.strictEqual((yield* Steps.log(fixture, { states: ["held"] })).length, 2)
    const { endpoint: enabled } = yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(60) })
    assert.deepStrictEqual([enabled.enabled, enabled.disabledReason, enabled.disabledAt], [true, undefined, undefined])
    for (const seconds of [61, 62, 63]) {
      assert.deepStrictEqual((yield* Steps.succeed(fixture, seconds)).map(({ attempts }) => attempts), [0])
    }
    assert.strictEqual((yield* Steps.log(fixture, { states: ["delivered"] })).length, 3)
  }),

  "holds what happens while its owner has disabled the endpoint": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture, { enabled: false })
    const id = yield* Steps.event(fixture)
    assert.strictEqual((yield* Steps.deliveryOf(fixture, id)).state, "held")
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(10) })
    assert.strictEqual((yield* Steps.succeed(fixture, 10)).length, 1)
  }),

  "disables an endpoint after five days of failures without one success": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.open(fixture)
    for (let n = 1; n <= 15; n++) yield* Steps.fail(fixture, n * 900)
    yield* Steps.fail(fixture, 5 * day - 1)
    const get = Effect.map(fixture.storage.webhooks.get(fixture.accountId), Option.getOrThrow)
    assert.isTrue((yield* get).enabled)
    yield* Steps.fail(fixture, 5 * day + 900)
    assert.deepInclude(yield* get, { enabled: false, disabledReason: "failing" })
    assert.strictEqual((yield* Steps.log(fixture, { states: ["held"] })).length, 5)
  }),

  "does not disable an endpoint for the one event that it refuses in a quiet week, but for two": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* Fixture.setWebhook(fixture)
      yield* Steps.event(fixture)
      for (let n = 0; n < 25; n++) yield* Steps.fail(fixture, n * 900)
      yield* Steps.fail(fixture, 6 * day)
      const get = Effect.map(fixture.storage.webhooks.get(fixture.accountId), Option.getOrThrow)
      assert.isTrue((yield* get).enabled)
      yield* Steps.event(fixture, 6 * day + 1)
      yield* Steps.fail(fixture, 6 * day + 900)
      assert.deepInclude(yield* get, { enabled: false, disabledReason: "failing" })
    }
  ),

  "does not disable an endpoint for a few failures far apart, or with a success in between": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* Fixture.setWebhook(fixture)
      yield* Steps.event(fixture)
      yield* Steps.fail(fixture, 0)
      yield* Steps.fail(fixture, 6 * day)
      assert.isTrue(Option.getOrThrow(yield* fixture.storage.webhooks.get(fixture.accountId)).enabled)
      yield* Steps.succeed(fixture, 7 * day)
      yield* Steps.open(fixture, 7 * day)
      for (let n = 1; n <= 20; n++) yield* Steps.fail(fixture, 7 * day + n * 900)
      assert.isTrue(Option.getOrThrow(yield* fixture.storage.webhooks.get(fixture.accountId)).enabled)
    }
  ),

  "drops pending deliveries when the endpoint is removed, and keeps them in the log": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const token = Factories.token()
    yield* Steps.events(fixture, 2)
    const [first] = yield* Steps.claim(fixture, 0, token)
    yield* fixture.storage.webhooks.delete(fixture.accountId)
    yield* Steps.settle(fixture, token, 1, { _tag: "Delivered" }, first === undefined ? [] : [first])
    assert.deepStrictEqual((yield* Steps.log(fixture)).map(({ state }) => state), ["dropped", "dropped"])
    yield* Fixture.setWebhook(fixture)
    assert.deepStrictEqual(yield* Steps.claim(fixture, 100), [])
  }),

  "sends nothing sooner when the endpoint is set unchanged": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.event(fixture)
    yield* Steps.fail(fixture, 0)
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(1) })
    assert.deepStrictEqual(yield* Steps.claim(fixture, 1), [])
    yield* Steps.events(fixture, 4, 2)
    yield* Steps.fail(fixture, 2)
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(3), events: ["call.completed", "call.dialing"] })
    assert.deepStrictEqual(yield* Steps.claim(fixture, 31), [])
    assert.deepStrictEqual((yield* Steps.claim(fixture, 32)).map(({ cause }) => cause), ["probe"])
  }),

  "probes another address at once": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.open(fixture)
    const url = "https://example.org/moved"
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(3), url })
    assert.isTrue(yield* Fixture.isDue(fixture, "delivery", 3))
    const [probe, ...others] = yield* Steps.fail(fixture, 3)
    assert.deepStrictEqual([probe?.cause, probe?.url, others.length], ["probe", url, 0])
    assert.deepStrictEqual(yield* Steps.claim(fixture, 62), [])
    assert.strictEqual((yield* Steps.succeed(fixture, 63)).length, 1)
    assert.deepStrictEqual((yield* Steps.claim(fixture, 63)).map(({ cause }) => cause), ["schedule"])
  }),

  "ignores failures of an earlier address of the endpoint": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.events(fixture, 4)
    const token = Factories.token()
    const late = yield* Steps.claim(fixture, 0, token)
    const url = "https://example.org/moved"
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(1), url })
    yield* Steps.settle(fixture, token, 2, { _tag: "Gone" }, late.slice(0, 1))
    for (let n = 0; n < 3; n++) {
      yield* Steps.settle(fixture, token, 2, { _tag: "RetryAt", at: Factories.at(2) }, late.slice(n + 1, n + 2))
    }
    yield* Steps.events(fixture, 2, 2)
    const again = Factories.token()
    const moved = yield* Steps.claim(fixture, 3, again)
    assert.deepStrictEqual(moved.map((delivery) => delivery.url), [url, url, url, url])
    for (const delivery of moved.slice(0, 2)) {
      yield* Steps.settle(fixture, again, 3, { _tag: "RetryAt", at: Factories.at(3) }, [delivery])
    }
    assert.deepStrictEqual((yield* Steps.claim(fixture, 4)).map(({ cause }) => cause), ["schedule", "schedule"])
    assert.isTrue(Option.getOrThrow(yield* fixture.storage.webhooks.get(fixture.accountId)).enabled)
  }),

  "ignores failures from before the endpoint was enabled": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.events(fixture, 2)
    const token = Factories.token()
    const [first, second] = yield* Steps.claim(fixture, 0, token)
    yield* Steps.settle(fixture, token, 1, { _tag: "Gone" }, first === undefined ? [] : [first])
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(2) })
    yield* Steps.settle(fixture, token, 3, { _tag: "Gone" }, second === undefined ? [] : [second])
    assert.isTrue(Option.getOrThrow(yield* fixture.storage.webhooks.get(fixture.accountId)).enabled)
  }),

  "serves accounts with due deliveries in rotation": Effect.gen(function*() {
    const fixtures = yield* Effect.forEach([0, 1, 2], () => Fixture.make())
    for (const fixture of fixtures) {
      yield* Fixture.setWebhook(fixture)
      yield* Steps.event(fixture)
    }
    const ids = fixtures.map(({ accountId }) => accountId)
    const [first, second, third] = ids
    const due = (after: typeof first) =>
      Effect.map(
        fixtures[0]?.storage.work.accountsDue({ kind: "delivery", now: Factories.start, limit: 10_000, after }) ??
          Effect.succeed([]),
        (all) => all.filter((id) => ids.includes(id))
      )
    assert.deepStrictEqual(yield* due(first), [second, third, first])
    assert.deepStrictEqual(yield* due(third), [first, second, third])
  })
}
