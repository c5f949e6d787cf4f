/** Which events are recorded, the feed, and pruning. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"
import { Ids } from "@outdial/core"
import * as Steps from "../webhook/DeliverySteps.ts"

/** Every event after the position, page by page. */
const follow = Effect.fnUntraced(function*({ accountId, storage }: Fixture.Fixture, limit: number, from = 0) {
  const found: Array<Ids.EventId> = []
  let after = from
  while (true) {
    const { hasMore, items } = yield* storage.events.readFeed({ accountId, after, limit })
    found.push(...items.map(({ id }) => id))
    after = items.at(-1)?.position ?? after
    if (!hasMore) return { found, after }
  }
})

export const cases: Cases = {
  "records a terminal event without an endpoint, and does not deliver it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Steps.endedCall(fixture)
    const recorded = Option.getOrThrow(yield* Fixture.terminalEvent(fixture, call.id))
    assert.deepStrictEqual(recorded.delivery, Option.none())
    assert.isFalse(yield* Fixture.isDue(fixture, "delivery", 3600))
  }),

  "records progress only while there is a subscription to it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture, { events: ["call.dialing", "call.in_progress"] })
    const { callId } = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, callId, 5, Fixture.answered(5))
    const kinds = (yield* Steps.claim(fixture, 5)).map(({ body }) => JSON.parse(body).type)
    assert.sameMembers(kinds, ["call.dialing", "call.in_progress"])
    yield* Fixture.setWebhook(fixture)
    yield* Fixture.submitted(fixture)
    assert.deepStrictEqual(yield* Steps.claim(fixture, 6), [])
  }),

  "feeds events oldest first, each once, also those that are written while it is read": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const early = yield* Effect.forEach([3, 1, 2], (seconds) => Steps.event(fixture, seconds))
    const first = yield* follow(fixture, 2)
    assert.deepStrictEqual(first.found, [early[1], early[2], early[0]])
    // An earlier event that is written later comes later.
    const late = yield* Steps.event(fixture, 0)
    assert.deepStrictEqual(yield* follow(fixture, 2, first.after), { found: [late], after: first.after + 1 })
    assert.deepStrictEqual((yield* follow(fixture, 1)).found, [...first.found, late])
    const other = yield* Fixture.make()
    assert.deepStrictEqual((yield* follow(other, 10)).found, [])
  }),

  "gives many readers of the feed the same order": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Steps.events(fixture, 30)
    const readers = Array.from({ length: 8 }, () => follow(fixture, 4))
    const [first, ...others] = yield* Effect.all(readers, { concurrency: "unbounded" })
    assert.strictEqual(first?.found.length, 30)
    for (const other of others) assert.deepStrictEqual(other, first)
  }),

  "prunes old events with their deliveries and attempts, in small sets, and no others": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* Fixture.setWebhook(fixture)
    const old = yield* Steps.events(fixture, 3, 0)
    const kept = yield* Steps.event(fixture, 1)
    yield* Steps.succeed(fixture, 1)
    const days = 30 * 86_400
    assert.isFalse(yield* Fixture.isDue(fixture, "retention", days - 1))
    assert.isTrue(yield* Fixture.isDue(fixture, "retention", days))
    const prune = storage.events.prune({ accountId, before: Factories.start, limit: 2 })
    assert.strictEqual(yield* prune, 2)
    assert.strictEqual(yield* prune, 1)
    assert.strictEqual(yield* prune, 0)
    const [first] = old
    assert.deepStrictEqual(first && (yield* storage.events.get(accountId, first)), Option.none())
    assert.deepStrictEqual((yield* Steps.log(fixture)).map(({ eventId }) => eventId), [kept])
    assert.deepStrictEqual((yield* follow(fixture, 10)).found, [kept])
  })
}
