/** The webhook endpoint and its secrets. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"
import * as Steps from "./DeliverySteps.ts"

const rotate = ({ accountId, storage }: Fixture.Fixture, secret: string, seconds: number, graceUntil: number) =>
  storage.webhooks.rotateSecret({
    accountId,
    secret: Factories.sealed(secret),
    now: Factories.at(seconds),
    graceUntil: Factories.at(graceUntil)
  })

/** The secrets that a delivery claimed at that time is signed with. */
const signing = Effect.fnUntraced(function*(fixture: Fixture.Fixture, seconds: number) {
  yield* Steps.endedCall(fixture)
  const token = Factories.token()
  const { accountId, storage } = fixture
  const deliveries = yield* storage.deliveries.claim({ accountId, now: Factories.at(seconds), limit: 10, token })
  yield* Steps.settleWith(fixture, token, seconds, { _tag: "Delivered" }, deliveries)
  return deliveries.at(-1)?.secrets.map(({ ciphertext }) => ciphertext)
})

export const cases: Cases = {
  "signs with the new secret and, during the grace period, with the previous one": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture, { secret: Factories.sealed("first") })
    const rotation = Option.getOrThrow(yield* rotate(fixture, "second", 10, 70))
    assert.strictEqual(rotation._tag, "Rotated")
    assert.deepStrictEqual(yield* signing(fixture, 69), ["second", "first"])
    assert.deepStrictEqual(yield* signing(fixture, 70), ["second"])
  }),

  "keeps two previous secrets valid, refuses a third, and ends all without a grace period": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture, { secret: Factories.sealed("first") })
    yield* rotate(fixture, "second", 1, 1000)
    yield* rotate(fixture, "third", 2, 2000)
    assert.deepStrictEqual(yield* signing(fixture, 3), ["third", "second", "first"])
    assert.deepStrictEqual(
      yield* rotate(fixture, "fourth", 4, 4000),
      Option.some({ _tag: "LimitReached" as const, retryAt: Factories.at(1000) })
    )
    yield* rotate(fixture, "fifth", 5, 5)
    assert.deepStrictEqual(yield* signing(fixture, 6), ["fifth"])
  }),

  "rotates no secret without an endpoint, and keeps previous ones when the endpoint is set again": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      assert.deepStrictEqual(yield* rotate(fixture, "x", 1, 100), Option.none())
      yield* Fixture.setWebhook(fixture, { secret: Factories.sealed("first") })
      yield* rotate(fixture, "second", 1, 1000)
      yield* Fixture.setWebhook(fixture, { url: "https://example.org/moved" })
      assert.deepStrictEqual(yield* signing(fixture, 2), ["second", "first"])
    }
  ),

  "keeps the secret and the first instant when an endpoint is set again": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const first = yield* Fixture.setWebhook(fixture)
    assert.isTrue(first.created)
    const second = yield* Fixture.setWebhook(fixture, {
      url: "https://example.org/other",
      secret: Factories.sealed("other"),
      events: ["call.dialing"],
      enabled: false,
      createdAt: Factories.at(9),
      updatedAt: Factories.at(9)
    })
    assert.isFalse(second.created)
    const kept = Option.getOrThrow(yield* fixture.storage.webhooks.get(fixture.accountId))
    assert.deepStrictEqual(kept.secret, first.endpoint.secret)
    assert.deepStrictEqual({ ...kept, secret: null }, {
      previousSecrets: [],
      accountId: fixture.accountId,
      url: "https://example.org/other",
      events: ["call.dialing"],
      enabled: false,
      secret: null,
      createdAt: Factories.start,
      updatedAt: Factories.at(9)
    })
  }),

  "deletes an endpoint and its pending deliveries, and stores a new secret afterwards": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.endedCall(fixture)
    yield* fixture.storage.webhooks.delete(fixture.accountId)
    yield* fixture.storage.webhooks.delete(fixture.accountId)
    assert.deepStrictEqual(yield* fixture.storage.webhooks.get(fixture.accountId), Option.none())
    const recreated = yield* Fixture.setWebhook(fixture, { secret: Factories.sealed("anew") })
    assert.isTrue(recreated.created)
    assert.deepStrictEqual(recreated.endpoint.secret, Factories.sealed("anew"))
    assert.deepStrictEqual(yield* Steps.claim(fixture, 10), [])
  })
}
