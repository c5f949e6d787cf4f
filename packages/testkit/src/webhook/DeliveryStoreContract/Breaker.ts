/** The chapter on endpoints that fail: the breaker, its probes and recovery, disabling, what is held and what is dropped. */
import { assert } from "@effect/vitest"
import type { Ids } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Steps from "../DeliverySteps.ts"
import * as Setting from "../../storage/Fixture.ts"

const day = 86_400

export const cases: Cases = {
  "leaves an endpoint alone for 30 s after five failures in a row": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.open(setting)
    yield* Steps.event(setting, 1)
    assert.deepStrictEqual(yield* Steps.claim(setting, 29), [])
    assert.isFalse(yield* Setting.isDue(setting, "delivery", 29))
    assert.isTrue(yield* Setting.isDue(setting, "delivery", 30))
    assert.strictEqual((yield* Steps.claim(setting, 30)).length, 1)
  }),

  "opens only after failures in a row": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.events(setting, 4)
    yield* Steps.fail(setting, 0)
    yield* Steps.event(setting, 1)
    yield* Steps.succeed(setting, 1)
    yield* Steps.events(setting, 4, 2)
    yield* Steps.fail(setting, 2)
    yield* Steps.event(setting, 3)
    assert.strictEqual((yield* Steps.claim(setting, 3)).length, 1)
  }),

  "asks with another event after each probe that failed, and first with those that were never refused": Effect.gen(
    function*() {
      const setting = yield* Setting.make()
      yield* Setting.setWebhook(setting)
      const ids = yield* Steps.open(setting)
      const probes: Array<Ids.EventId> = []
      for (const at of [30, 90, 210, 450, 930, 1830]) {
        probes.push(...(yield* Steps.fail(setting, at)).map(({ eventId }) => eventId))
      }
      assert.sameMembers(probes.slice(0, 5), ids)
      assert.strictEqual(probes[5], probes[0])
      const good = yield* Steps.event(setting, 1900)
      assert.deepStrictEqual((yield* Steps.succeed(setting, 2730)).map(({ eventId }) => eventId), [good])
      const next = yield* Steps.succeed(setting, 2730)
      assert.deepStrictEqual(next.map(({ attempts, cause }) => [attempts, cause]), [[1, "schedule"]])
    }
  ),

  "sends one probe at a time, due or not, whoever claims": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.open(setting)
    const many = Array.from({ length: 20 }, () => Steps.claim(setting, 30))
    const [probe, ...others] = (yield* Effect.all(many, { concurrency: "unbounded" })).flat()
    assert.deepStrictEqual(others, [])
    assert.deepInclude(probe, { cause: "probe", attempts: 1, dueAt: Factories.at(60) })
    assert.isFalse(yield* Setting.isDue(setting, "delivery", 31))
  }),

  "uses up no attempt with a probe that fails, and pauses for twice as long up to 15 minutes": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    const ids = yield* Steps.open(setting)
    let at = 0
    for (const pause of [30, 60, 120, 240, 480, 900, 900]) {
      assert.deepStrictEqual(yield* Steps.claim(setting, at + pause - 1), [])
      at += pause
      assert.strictEqual((yield* Steps.fail(setting, at)).length, 1)
    }
    const log = yield* Steps.log(setting)
    const causes = log.flatMap(({ attempts }) => attempts.map(({ cause }) => cause))
    assert.strictEqual(causes.filter((cause) => cause === "probe").length, 7)
    const states = yield* Effect.forEach(ids, (id) => setting.storage.events.get(setting.accountId, id))
    assert.deepStrictEqual(
      states.map((event) => Option.flatMap(event, ({ delivery }) => delivery)),
      ids.map(() => Option.some({ state: "pending" as const, attempts: 1 }))
    )
  }),

  "does not take the late failure of an earlier attempt for that of a probe": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.events(setting, 4)
    const slow = Factories.token()
    const late = yield* Steps.claim(setting, 0, slow)
    const failure = { _tag: "RetryAt", at: Factories.at(60) } as const
    yield* Steps.settle(setting, slow, 1, failure, late.slice(0, 3))
    yield* Steps.events(setting, 2, 1)
    yield* Steps.fail(setting, 1)
    yield* Steps.settle(setting, slow, 16, failure, late.slice(3))
    assert.deepStrictEqual(yield* Steps.claim(setting, 30), [])
    assert.strictEqual((yield* Steps.claim(setting, 31)).length, 1)
  }),

  "sends everything that waits once a probe arrives: one at a time, then two, then four": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.open(setting)
    yield* Steps.events(setting, 10, 1)
    yield* Steps.succeed(setting, 30)
    assert.strictEqual((yield* Steps.succeed(setting, 30)).length, 1)
    assert.strictEqual((yield* Steps.succeed(setting, 34.999)).length, 1)
    assert.strictEqual((yield* Steps.succeed(setting, 35)).length, 2)
    assert.strictEqual((yield* Steps.succeed(setting, 40)).length, 4)
    assert.strictEqual((yield* Steps.succeed(setting, 41)).length, 4)
    assert.strictEqual((yield* Steps.succeed(setting, 42)).length, 2)
    assert.strictEqual((yield* Steps.log(setting, { states: ["delivered"] })).length, 15)
  }),

  "takes up a probe whose sender is gone, without an attempt used up": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.open(setting)
    const [lost] = yield* Steps.claim(setting, 30)
    assert.deepStrictEqual(yield* Steps.claim(setting, 89), [])
    assert.isTrue(yield* Setting.isDue(setting, "delivery", 90))
    const [again] = yield* Steps.claim(setting, 90)
    assert.deepStrictEqual([again?.cause, again?.attempts], ["probe", lost?.attempts])
  }),

  "neither uses up an attempt nor blames the receiver for what was not sent": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.events(setting, 4)
    for (const seconds of [0, 60]) {
      const token = Factories.token()
      const claimed = yield* Steps.claim(setting, seconds, token)
      assert.deepStrictEqual(claimed.map(({ attempts }) => attempts), [0, 0, 0, 0])
      yield* Steps.settle(setting, token, seconds, { _tag: "NotSent", at: Factories.at(seconds + 60) }, claimed)
      assert.deepStrictEqual(yield* Steps.claim(setting, seconds + 59), [])
    }
    assert.strictEqual((yield* Steps.succeed(setting, 120)).length, 4)
  }),

  "disables an endpoint whose receiver is gone, and holds its events until it is enabled": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.events(setting, 2)
    const token = Factories.token()
    yield* Steps.settle(setting, token, 1, { _tag: "Gone" }, (yield* Steps.claim(setting, 0, token)).slice(0, 1))
    const endpoint = Option.getOrThrow(yield* setting.storage.webhooks.get(setting.accountId))
    assert.deepInclude(endpoint, { enabled: false, disabledReason: "gone", disabledAt: Factories.at(1) })
    yield* Steps.event(setting, 2)
    assert.isFalse(yield* Setting.isDue(setting, "delivery", 50))
    assert.deepStrictEqual(yield* Steps.claim(setting, 50), [])
    const states = (yield* Steps.log(setting)).map(({ state }) => state)
    assert.sameMembers(states, ["held", "held", "sending"])
    assert.deepStrictEqual(yield* Steps.log(setting, { states: ["pending"] }), [])
    assert.strictEqual((yield* Steps.log(setting, { states: ["held"] })).length, 2)
    const { endpoint: enabled } = yield* Setting.setWebhook(setting, { updatedAt: Factories.at(60) })
    assert.deepStrictEqual([enabled.enabled, enabled.disabledReason, enabled.disabledAt], [true, undefined, undefined])
    for (const seconds of [61, 62, 63]) {
      assert.deepStrictEqual((yield* Steps.succeed(setting, seconds)).map(({ attempts }) => attempts), [0])
    }
    assert.strictEqual((yield* Steps.log(setting, { states: ["delivered"] })).length, 3)
  }),

  "holds what happens while its owner has disabled the endpoint": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting, { enabled: false })
    const id = yield* Steps.event(setting)
    assert.strictEqual((yield* Steps.deliveryOf(setting, id)).state, "held")
    yield* Setting.setWebhook(setting, { updatedAt: Factories.at(10) })
    assert.strictEqual((yield* Steps.succeed(setting, 10)).length, 1)
  }),

  "disables an endpoint after five days of failures without one success": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.open(setting)
    for (let n = 1; n <= 15; n++) yield* Steps.fail(setting, n * 900)
    yield* Steps.fail(setting, 5 * day - 1)
    const get = Effect.map(setting.storage.webhooks.get(setting.accountId), Option.getOrThrow)
    assert.isTrue((yield* get).enabled)
    yield* Steps.fail(setting, 5 * day + 900)
    assert.deepInclude(yield* get, { enabled: false, disabledReason: "failing" })
    assert.strictEqual((yield* Steps.log(setting, { states: ["held"] })).length, 5)
  }),

  "does not disable an endpoint for the one event that it refuses in a quiet week, but for two": Effect.gen(
    function*() {
      const setting = yield* Setting.make()
      yield* Setting.setWebhook(setting)
      yield* Steps.event(setting)
      for (let n = 0; n < 25; n++) yield* Steps.fail(setting, n * 900)
      yield* Steps.fail(setting, 6 * day)
      const get = Effect.map(setting.storage.webhooks.get(setting.accountId), Option.getOrThrow)
      assert.isTrue((yield* get).enabled)
      yield* Steps.event(setting, 6 * day + 1)
      yield* Steps.fail(setting, 6 * day + 900)
      assert.deepInclude(yield* get, { enabled: false, disabledReason: "failing" })
    }
  ),

  "does not disable an endpoint for a few failures far apart, nor one that has succeeded between": Effect.gen(
    function*() {
      const setting = yield* Setting.make()
      yield* Setting.setWebhook(setting)
      yield* Steps.event(setting)
      yield* Steps.fail(setting, 0)
      yield* Steps.fail(setting, 6 * day)
      assert.isTrue(Option.getOrThrow(yield* setting.storage.webhooks.get(setting.accountId)).enabled)
      yield* Steps.succeed(setting, 7 * day)
      yield* Steps.open(setting, 7 * day)
      for (let n = 1; n <= 20; n++) yield* Steps.fail(setting, 7 * day + n * 900)
      assert.isTrue(Option.getOrThrow(yield* setting.storage.webhooks.get(setting.accountId)).enabled)
    }
  ),

  "drops what was on its way when the endpoint is removed, and keeps it in the log": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    const token = Factories.token()
    yield* Steps.events(setting, 2)
    const [first] = yield* Steps.claim(setting, 0, token)
    yield* setting.storage.webhooks.delete(setting.accountId)
    yield* Steps.settle(setting, token, 1, { _tag: "Delivered" }, first === undefined ? [] : [first])
    assert.deepStrictEqual((yield* Steps.log(setting)).map(({ state }) => state), ["dropped", "dropped"])
    yield* Setting.setWebhook(setting)
    assert.deepStrictEqual(yield* Steps.claim(setting, 100), [])
  }),

  "sends nothing sooner when its owner sets the endpoint as it was": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.event(setting)
    yield* Steps.fail(setting, 0)
    yield* Setting.setWebhook(setting, { updatedAt: Factories.at(1) })
    assert.deepStrictEqual(yield* Steps.claim(setting, 1), [])
    yield* Steps.events(setting, 4, 2)
    yield* Steps.fail(setting, 2)
    yield* Setting.setWebhook(setting, { updatedAt: Factories.at(3), events: ["call.completed", "call.dialing"] })
    assert.deepStrictEqual(yield* Steps.claim(setting, 31), [])
    assert.deepStrictEqual((yield* Steps.claim(setting, 32)).map(({ cause }) => cause), ["probe"])
  }),

  "probes another address at once": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.open(setting)
    const url = "https://example.org/moved"
    yield* Setting.setWebhook(setting, { updatedAt: Factories.at(3), url })
    assert.isTrue(yield* Setting.isDue(setting, "delivery", 3))
    const [probe, ...others] = yield* Steps.fail(setting, 3)
    assert.deepStrictEqual([probe?.cause, probe?.url, others.length], ["probe", url, 0])
    assert.deepStrictEqual(yield* Steps.claim(setting, 62), [])
    assert.strictEqual((yield* Steps.succeed(setting, 63)).length, 1)
    assert.deepStrictEqual((yield* Steps.claim(setting, 63)).map(({ cause }) => cause), ["schedule"])
  }),

  "does not hold against an endpoint what an earlier address answered": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.events(setting, 4)
    const token = Factories.token()
    const late = yield* Steps.claim(setting, 0, token)
    const url = "https://example.org/moved"
    yield* Setting.setWebhook(setting, { updatedAt: Factories.at(1), url })
    yield* Steps.settle(setting, token, 2, { _tag: "Gone" }, late.slice(0, 1))
    for (let n = 0; n < 3; n++) {
      yield* Steps.settle(setting, token, 2, { _tag: "RetryAt", at: Factories.at(2) }, late.slice(n + 1, n + 2))
    }
    yield* Steps.events(setting, 2, 2)
    const again = Factories.token()
    const moved = yield* Steps.claim(setting, 3, again)
    assert.deepStrictEqual(moved.map((delivery) => delivery.url), [url, url, url, url])
    for (const delivery of moved.slice(0, 2)) {
      yield* Steps.settle(setting, again, 3, { _tag: "RetryAt", at: Factories.at(3) }, [delivery])
    }
    assert.deepStrictEqual((yield* Steps.claim(setting, 4)).map(({ cause }) => cause), ["schedule", "schedule"])
    assert.isTrue(Option.getOrThrow(yield* setting.storage.webhooks.get(setting.accountId)).enabled)
  }),

  "does not disable again for what was answered before its owner enabled it": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Steps.events(setting, 2)
    const token = Factories.token()
    const [first, second] = yield* Steps.claim(setting, 0, token)
    yield* Steps.settle(setting, token, 1, { _tag: "Gone" }, first === undefined ? [] : [first])
    yield* Setting.setWebhook(setting, { updatedAt: Factories.at(2) })
    yield* Steps.settle(setting, token, 3, { _tag: "Gone" }, second === undefined ? [] : [second])
    assert.isTrue(Option.getOrThrow(yield* setting.storage.webhooks.get(setting.accountId)).enabled)
  }),

  "gives accounts with deliveries due their turn, from behind the last one and around": Effect.gen(function*() {
    const settings = yield* Effect.forEach([0, 1, 2], () => Setting.make())
    for (const setting of settings) {
      yield* Setting.setWebhook(setting)
      yield* Steps.event(setting)
    }
    const ids = settings.map(({ accountId }) => accountId)
    const [first, second, third] = ids
    const due = (after: typeof first) =>
      Effect.map(
        settings[0]?.storage.work.accountsDue({ kind: "delivery", now: Factories.start, limit: 10_000, after }) ??
          Effect.succeed([]),
        (all) => all.filter((id) => ids.includes(id))
      )
    assert.deepStrictEqual(yield* due(first), [second, third, first])
    assert.deepStrictEqual(yield* due(third), [first, second, third])
  })
}
