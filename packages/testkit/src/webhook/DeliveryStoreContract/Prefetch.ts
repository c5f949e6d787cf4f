/** Prefetching deliveries: who may, how many, and the return of untried ones. */
import { assert } from "@effect/vitest"
import { type Ids, Limits, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Steps from "../DeliverySteps.ts"
import * as Fixture from "../../storage/Fixture.ts"

const inFlight = Limits.deliveriesInFlight

/** A claim that prefetches ten. */
const ahead = ({ accountId, storage }: Fixture.Fixture, seconds: number, token: Ids.ClaimToken) =>
  storage.deliveries.claim({ accountId, now: Factories.at(seconds), limit: 100, ahead: 10, token })

const giveBack = (
  { accountId, storage }: Fixture.Fixture,
  token: Ids.ClaimToken,
  seconds: number,
  deliveries: ReadonlyArray<Storage.ClaimedDelivery>
) =>
  storage.deliveries.settle({
    accountId,
    token,
    now: Factories.at(seconds),
    results: deliveries.map(({ dueAt, id }) => ({ deliveryId: id, result: { _tag: "Returned", at: dueAt } }))
  })

export const cases: Cases = {
  "lets the sole sender of an endpoint prefetch, and no other until it has no more than are in flight": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* Fixture.setWebhook(fixture)
      yield* Steps.events(fixture, 40)
      const [one, other] = [Factories.token(), Factories.token()]
      const claimed = yield* ahead(fixture, 0, one)
      assert.strictEqual(claimed.length, inFlight + 10)
      assert.deepStrictEqual(yield* ahead(fixture, 0, other), [])
      assert.deepStrictEqual(yield* ahead(fixture, 0, one), [])
      yield* Steps.settle(fixture, one, 1, { _tag: "Delivered" }, claimed.slice(0, 10))
      assert.deepStrictEqual(yield* ahead(fixture, 1, other), [])
      assert.strictEqual((yield* ahead(fixture, 1, one)).length, 10)
    }
  ),

  "prefetches nothing while another sender has deliveries in flight": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.events(fixture, 40)
    const [one, other] = [Factories.token(), Factories.token()]
    const claimed = yield* Steps.claim(fixture, 0, one)
    yield* Steps.settle(fixture, one, 1, { _tag: "Delivered" }, claimed.slice(0, 1))
    assert.strictEqual((yield* ahead(fixture, 1, other)).length, 1)
    yield* Steps.settle(fixture, one, 2, { _tag: "Delivered" }, claimed.slice(1, 3))
    assert.strictEqual((yield* ahead(fixture, 2, one)).length, 2)
    assert.deepStrictEqual(yield* ahead(fixture, 2, other), [])
  }),

  "prefetches nothing while the endpoint fails or recovers": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.event(fixture)
    yield* Steps.fail(fixture, 0)
    yield* Steps.events(fixture, 40)
    const token = Factories.token()
    const doubted = yield* ahead(fixture, 1, token)
    assert.strictEqual(doubted.length, inFlight)
    yield* Steps.settle(fixture, token, 2, { _tag: "Delivered" }, doubted)
    assert.strictEqual((yield* ahead(fixture, 2, token)).length, inFlight + 10)
    yield* Fixture.setWebhook(fixture, { enabled: false })
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(100) })
    assert.deepStrictEqual((yield* ahead(fixture, 100, Factories.token())).length, 1)
  }),

  "returns untried deliveries unchanged, without counting a failure": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const ids = yield* Steps.open(fixture)
    yield* Fixture.setWebhook(fixture, { enabled: false })
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(9) })
    const { accountId, storage } = fixture
    const [asked] = ids
    assert.isDefined(asked)
    yield* storage.deliveries.redeliver({ accountId, eventId: asked, now: Factories.at(1) })
    const before = yield* Steps.log(fixture)
    const token = Factories.token()
    const claimed = yield* Steps.claim(fixture, 100, token)
    assert.deepInclude(claimed[0], { eventId: asked, attempts: 1, cause: "redeliver", dueAt: Factories.at(1) })
    const answer = yield* giveBack(fixture, token, 101, claimed)
    assert.deepStrictEqual(answer, Option.none())
    assert.deepStrictEqual(yield* Steps.log(fixture), before)
    const again = Factories.token()
    const retaken = yield* Steps.claim(fixture, 102, again)
    assert.deepStrictEqual(retaken, claimed)
    yield* Steps.settle(fixture, again, 103, { _tag: "Delivered" }, retaken)
    assert.deepStrictEqual(
      (yield* Steps.deliveryOf(fixture, asked)).attempts.map(({ cause }) => cause),
      ["schedule", "redeliver"]
    )
  }),

  "keeps the pause of an endpoint when its probe is returned": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.open(fixture)
    const token = Factories.token()
    const probes = yield* Steps.claim(fixture, 30, token)
    assert.deepStrictEqual(probes.map(({ cause }) => cause), ["probe"])
    yield* giveBack(fixture, token, 31, probes)
    assert.deepStrictEqual((yield* Steps.claim(fixture, 31)).map(({ cause }) => cause), ["probe"])
  }),

  "returns once why an endpoint was disabled": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.events(fixture, 2)
    const token = Factories.token()
    const claimed = yield* Steps.claim(fixture, 0, token)
    const answers = yield* Effect.forEach(
      claimed,
      (delivery) => Steps.settle(fixture, token, 1, { _tag: "Gone" }, [delivery])
    )
    assert.deepStrictEqual(answers, [Option.some("gone" as const), Option.none()])
  })
}
