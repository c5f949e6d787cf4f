/** Calls that expire, and the reason why they were not dialed. */
import { assert } from "@effect/vitest"
import { type Call, EventBodies, type Ids } from "@outdial/core"
import { DateTime, Effect, Option, Schema } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const hour = 3600

const expire = ({ accountId, storage }: Fixture.Fixture, seconds: number, limit = 10) =>
  storage.dispatch.expireCalls({
    accountId,
    now: Factories.at(seconds),
    limit,
    rules: Factories.rules,
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

const endOf = (fixture: Fixture.Fixture, id: Ids.CallId) =>
  Effect.map(Fixture.get(fixture, id), ({ heldBy, status, statusCode }) => ({ heldBy, status, statusCode }))

const expired = (heldBy: Call.Hold | undefined) => ({
  heldBy,
  status: "expired" as const,
  statusCode: "queue_expired" as const
})

/** The end of the call, from its event. */
const eventsOf = Effect.fnUntraced(function*(fixture: Fixture.Fixture, id: Ids.CallId) {
  const event = yield* Fixture.terminalEvent(fixture, id)
  return Option.map(event, ({ body }) => decodeBody(body).data)
})

const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  data: Schema.Struct({ status: Schema.String, status_code: Schema.String, status_reason: Schema.String })
})))

export const cases: Cases = {
  "expires calls that waited too long, with their events": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 0 })
    const call = yield* Fixture.start(fixture, { expiresAt: Factories.at(60) })
    yield* Fixture.start(fixture)
    assert.isFalse(yield* Fixture.isDue(fixture, "expiry", 59))
    assert.strictEqual(yield* expire(fixture, 59), 0)
    assert.isTrue(yield* Fixture.isDue(fixture, "expiry", 60))
    assert.strictEqual(yield* expire(fixture, 60), 1)
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), {
      ...call,
      status: "expired",
      statusCode: "queue_expired",
      heldBy: { code: "lines_busy" },
      decision: {
        at: "2026-03-02T10:00:59.999Z",
        holding: ["queue_expired", "lines_busy"],
        lines: 0,
        linesInUse: 0,
        callsPerSecond: 10_000,
        placedLastSecond: 0
      },
      endedAt: Factories.at(60)
    })
    assert.isTrue(Option.isSome(yield* Fixture.terminalEvent(fixture, call.id)))
  }),

  "keeps until when a call that expired outside calling hours was held, and writes it to its end": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({
        policy: {
          ...Factories.openPolicy,
          callingHours: { mon: [{ start: "09:00", end: "12:00" }], tue: [{ start: "09:30", end: "12:00" }] }
        }
      })
      const { id } = yield* Fixture.start(fixture, { expiresAt: Factories.at(10 * hour) })
      // Noticed late, when the hours are open again.
      assert.strictEqual(yield* expire(fixture, 25 * hour), 1)
      const until = DateTime.makeUnsafe("2026-03-03T09:30:00.000Z")
      assert.deepStrictEqual(yield* endOf(fixture, id), expired({ code: "outside_calling_hours", until }))
      assert.deepStrictEqual(
        yield* eventsOf(fixture, id),
        Option.some({
          status: "expired",
          status_code: "queue_expired",
          status_reason: "Not dialed before it expired at 2026-03-02T20:00:00.000Z: " +
            "it was outside calling hours in the callee's time zone until 2026-03-03T09:30:00.000Z."
        })
      )
    }
  ),

  "keeps the same for a call that a claim finds expired": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, recallGapSeconds: hour } })
    const { callId } = yield* Fixture.submitted(fixture)
    const { phoneNumber } = yield* Fixture.get(fixture, callId)
    yield* Fixture.report(fixture, callId, 30, Fixture.talked(5, 30))
    const { id } = yield* Fixture.start(fixture, { phoneNumber, expiresAt: Factories.at(60) })
    yield* Fixture.claim(fixture, { at: 60 })
    assert.deepStrictEqual(
      yield* endOf(fixture, id),
      expired({ code: "recall_gap", until: Factories.at(hour) })
    )
  }),

  "checks each of the calls that expire together by its number and by its own expiry": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, recallGapSeconds: hour } })
    const { callId } = yield* Fixture.submitted(fixture)
    const { phoneNumber } = yield* Fixture.get(fixture, callId)
    const free = yield* Fixture.start(fixture, { expiresAt: Factories.at(60) })
    const busy = yield* Fixture.start(fixture, { phoneNumber, expiresAt: Factories.at(61) })
    const later = yield* Fixture.start(fixture, { notBefore: Factories.at(62), expiresAt: Factories.at(62) })
    assert.strictEqual(yield* expire(fixture, 62, 2), 2)
    assert.deepStrictEqual(yield* endOf(fixture, free.id), expired(undefined))
    assert.deepStrictEqual(yield* endOf(fixture, busy.id), expired({ code: "recall_gap", until: Factories.at(hour) }))
    assert.strictEqual(yield* expire(fixture, 62), 1)
    assert.deepStrictEqual(yield* endOf(fixture, later.id), expired({ code: "not_before", until: Factories.at(62) }))
  }),

  "reports at the end of a day that the daily limit held the call": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, dailyLimit: 1 } })
    yield* Fixture.submitted(fixture)
    const midnight = DateTime.makeUnsafe("2026-03-03T00:00:00.000Z")
    const { id } = yield* Fixture.start(fixture, { expiresAt: midnight })
    assert.strictEqual(yield* expire(fixture, 14 * hour + 1), 1)
    assert.deepStrictEqual(yield* endOf(fixture, id), expired({ code: "daily_limit", until: midnight }))
  }),

  "reports that a paused account held the call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { id } = yield* Fixture.start(fixture, { expiresAt: Factories.at(60) })
    yield* fixture.storage.accounts.update(fixture.accountId, { paused: true })
    yield* expire(fixture, 60)
    assert.deepStrictEqual(yield* endOf(fixture, id), expired({ code: "account_paused" }))
    assert.strictEqual(
      Option.getOrUndefined(yield* eventsOf(fixture, id))?.status_reason,
      "Not dialed before it expired at 2026-03-02T10:01:00.000Z: calling was paused."
    )
  })
}
