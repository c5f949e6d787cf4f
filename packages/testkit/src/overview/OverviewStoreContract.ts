/** Overviews of accounts, and the marks by which changes are seen. */
import { Ids, Lane, Storage } from "@outdial/core"
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

const activityAt = ({ accountId, storage }: Fixture.Fixture, seconds: number, since = 0) =>
  storage.overviews.activity({ accountId, now: Factories.at(seconds), since: Factories.at(since) })

const marksOf = (fixture: Fixture.Fixture) =>
  Effect.map(fixture.storage.overviews.marks([fixture.accountId]), (marks) => {
    const found = marks.get(fixture.accountId)
    if (found === undefined) throw new Error("The account has no marks")
    return found
  })

/** The kinds whose marks differ after the step, and the calls that are live then. */
const changedBy = Effect.fnUntraced(function*<E, R>(fixture: Fixture.Fixture, step: Effect.Effect<unknown, E, R>) {
  const before = yield* marksOf(fixture)
  yield* step
  const after = yield* marksOf(fixture)
  return {
    kinds: Storage.markedKinds.filter((kind) => before.marks[kind] !== after.marks[kind]),
    live: [...after.live]
  }
})

const laneOf = (zone: string) => Lane.make({ planVersion: 1, timeZones: [zone] })

export const cases: Cases = {
  "counts waiting calls by lane, and those that are due later by their reason": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [paris, rome] = [laneOf("Europe/Paris"), laneOf("Europe/Rome")]
    yield* Fixture.start(fixture, { lane: paris, dueAt: Factories.at(-5) })
    yield* Fixture.start(fixture, { lane: paris, dueAt: Factories.at(10) })
    yield* Fixture.start(fixture, { lane: paris, dueAt: Factories.at(90), statusCode: "recall_gap" })
    yield* Fixture.start(fixture, { lane: paris, dueAt: Factories.at(80), statusCode: "recall_gap" })
    const { phoneNumber } = yield* Fixture.start(fixture, { lane: rome, dueAt: Factories.at(99) })
    yield* Fixture.start(yield* Fixture.make(), { lane: rome })
    const { isExact, waiting } = yield* activityAt(fixture, 20)
    assert.isTrue(isExact)
    assert.deepStrictEqual(waiting.map(({ phoneNumber: _, ...lane }) => lane), [
      {
        lane: paris,
        due: { calls: 2, first: Factories.at(-5) },
        later: [{ calls: 2, first: Factories.at(80), statusCode: "recall_gap" }]
      },
      { lane: rome, later: [{ calls: 1, first: Factories.at(99) }] }
    ])
    assert.strictEqual(waiting[1]?.phoneNumber, phoneNumber)
  }),

  "counts live calls, the calls of a day and open deliveries": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const empty = {
      waiting: [],
      isExact: true,
      dialing: 0,
      inProgress: 0,
      dialed: new Map(),
      answered: 0,
      openDeliveries: 0,
      isWebhookFailing: false
    }
    assert.deepStrictEqual(yield* activityAt(fixture, 0), empty)
    yield* Fixture.setWebhook(fixture)
    yield* Fixture.complete(fixture)
    const busy = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, busy.callId, 30, {
      _tag: "Ended",
      at: Factories.at(30),
      result: "busy",
      transcript: [],
      recorded: false
    })
    yield* Fixture.submitted(fixture)
    const live = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, live.callId, 40, Fixture.answered(40))
    const { deliveryDueAt, ...activity } = yield* activityAt(fixture, 60)
    assert.deepStrictEqual(activity, {
      ...empty,
      dialing: 1,
      inProgress: 1,
      dialed: new Map([["completed", 1], ["busy", 1], ["dialing", 1], ["in_progress", 1]] as const),
      answered: 2,
      openDeliveries: 2
    })
    assert.isDefined(deliveryDueAt)
    assert.deepStrictEqual((yield* activityAt(fixture, 60, 1)).dialed, new Map())
  }),

  "changes the marks of what has changed, and no others": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, agentId, storage } = fixture
    const other = yield* Fixture.make()
    assert.deepStrictEqual(yield* changedBy(fixture, Fixture.complete(other)), { kinds: [], live: [] })
    const waiting = yield* Fixture.start(fixture, { dueAt: Factories.at(500) })
    assert.deepStrictEqual((yield* changedBy(fixture, Fixture.start(fixture, { dueAt: Factories.at(500) }))).kinds, [
      "queue"
    ])
    const canceling = storage.calls.cancel({
      accountId,
      id: waiting.id,
      now: Factories.at(3),
      events: Fixture.eventsAt(3)
    })
    assert.include((yield* changedBy(fixture, canceling)).kinds, "events")
    const { callId } = yield* Fixture.submitted(fixture)
    const answering = Fixture.report(fixture, callId, 40, Fixture.answered(40))
    assert.deepStrictEqual(yield* changedBy(fixture, answering), { kinds: [], live: [[callId, "in_progress"]] })

    const kindsOf = <E, R>(step: Effect.Effect<unknown, E, R>) =>
      Effect.map(changedBy(fixture, step), ({ kinds }) => kinds)
    const agent = Factories.agentDefinition()
    assert.deepStrictEqual(yield* kindsOf(storage.agents.put({ accountId, agent, now: Factories.start })), ["agents"])
    assert.deepStrictEqual(
      yield* kindsOf(storage.agents.archive({ accountId, id: agentId, now: Factories.start })),
      ["agents"]
    )
    assert.deepStrictEqual(yield* kindsOf(storage.accounts.update(accountId, { lines: 9 })), ["account"])
    assert.deepStrictEqual(yield* kindsOf(storage.accounts.update(accountId, { policy: {} })), ["account"])
    assert.deepStrictEqual(yield* kindsOf(storage.accounts.update(accountId, { paused: true })), ["account"])
    const entry = { phoneNumber: Factories.phoneNumber(), source: "api", createdAt: Factories.start } as const
    assert.deepStrictEqual(
      yield* kindsOf(storage.doNotCall.add({
        accountId,
        entries: [entry],
        now: Factories.start,
        events: Fixture.eventsAt(0)
      })),
      ["doNotCall"]
    )
    const key = {
      id: Ids.ApiKeyId.make(accountId.replace("acct_", "key_")),
      accountId,
      name: "Key",
      hash: accountId,
      scopes: ["calls:read"],
      createdAt: Factories.start
    } as const
    assert.deepStrictEqual(yield* kindsOf(storage.access.addApiKey(key)), ["keys"])
    const revoking = storage.access.revokeApiKey({ accountId, id: key.id, now: Factories.at(1) })
    assert.deepStrictEqual(yield* kindsOf(revoking), ["keys"])
    assert.include(yield* kindsOf(Fixture.setWebhook(fixture)), "webhook")
    const carrier = Factories.carrierName()
    assert.deepStrictEqual(
      yield* kindsOf(storage.carriers.pause({ carrier, now: Factories.start, by: "operator" })),
      ["carriers"]
    )
    yield* storage.carriers.resume({ carrier })
  }),

  "reads the marks of several accounts, without unknown ones": Effect.gen(function*() {
    const [one, two] = [yield* Fixture.make(), yield* Fixture.make()]
    const unknown = Factories.accountId()
    const marks = yield* one.storage.overviews.marks([one.accountId, unknown, two.accountId])
    assert.deepStrictEqual(new Set(marks.keys()), new Set([one.accountId, two.accountId]))
    assert.deepStrictEqual(yield* one.storage.overviews.marks([]), new Map())
    assert.isTrue(Option.isNone(yield* one.storage.accounts.get(unknown)))
  })
}
