/** Rules that hold many calls at once: calling hours, daily limit and calls per second. */
import { assert } from "@effect/vitest"
import { type Call, EventBodies, Lane, type Policy } from "@outdial/core"
import { DateTime, Duration, Effect } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const hour = 3600

/** Open from 09:00 to 12:00; `Factories.start` is 10:00 on a Monday. */
const morning: Policy.PolicyDocument = {
  ...Factories.openPolicy,
  callingHours: { mon: [{ start: "09:00", end: "12:00" }], tue: [{ start: "09:00", end: "12:00" }] }
}

const startMany = (fixture: Fixture.Fixture, count: number, overrides: Partial<Call.CallRecord> = {}) =>
  Effect.forEach(Array.from({ length: count }), () => Fixture.start(fixture, overrides))

const claimed = (fixture: Fixture.Fixture, at: number, limit = 100) =>
  Effect.map(Fixture.claim(fixture, { at, limit }), (result) => result.claimed.length)

const facts = ({ accountId, storage }: Fixture.Fixture, at: number, ...phoneNumbers: ReadonlyArray<Call.CallRecord>) =>
  storage.calls.dialFacts({
    accountId,
    phoneNumbers: phoneNumbers.map(({ phoneNumber }) => phoneNumber),
    now: Factories.at(at),
    rules: Factories.rules
  })

export const cases: Cases = {
  "skips a closed lane, moves none of its calls, and announces no work for it before it opens": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({ policy: morning })
      const [call] = yield* startMany(fixture, 3)
      const evening = 10 * hour
      assert.deepStrictEqual(yield* Fixture.claim(fixture, { at: evening }), { claimed: [], moved: 0, isLocked: false })
      assert.deepStrictEqual(yield* Fixture.get(fixture, call?.id ?? Factories.callId()), call)
      assert.isFalse(yield* Fixture.isDue(fixture, "dial", evening + 1))
      assert.isFalse(yield* Fixture.isDue(fixture, "dial", 23 * hour - 1))
      assert.isTrue(yield* Fixture.isDue(fixture, "dial", 23 * hour))
      assert.strictEqual(yield* claimed(fixture, 23 * hour), 3)
    }
  ),

  "claims from open lanes, past closed ones, in the overall order": Effect.gen(function*() {
    const fixture = yield* Fixture.make({
      policy: { ...morning, agents: { [Factories.agentId()]: { callingHours: null } } }
    })
    const { account } = yield* facts(fixture, 0)
    const lane = (timeZone: string) => Lane.make({ planVersion: account.planVersion, timeZones: [timeZone] })
    const late = yield* Fixture.start(fixture, { lane: lane("Etc/UTC"), dueAt: Factories.at(-1) })
    const early = yield* Fixture.start(fixture, { lane: lane("Etc/GMT"), dueAt: Factories.at(-2) })
    const result = yield* Fixture.claim(fixture)
    assert.deepStrictEqual(result.claimed.map(({ call }) => call.id), [early.id, late.id])
  }),

  "applies the limits of a number also by a clock that is behind its dials": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({
        policy: { ...Factories.openPolicy, numberLimits: [{ max: 1, windowSeconds: 100 }] }
      })
      const { callId } = yield* Fixture.submitted(fixture, {}, 8)
      yield* Fixture.report(fixture, callId, 9, Fixture.talked(8, 9))
      const { phoneNumber } = yield* Fixture.get(fixture, callId)
      const again = yield* Fixture.start(fixture, { phoneNumber })
      // A node that froze for seconds after it had looked at its clock.
      assert.deepStrictEqual((yield* Fixture.claim(fixture, { at: 2 })).claimed, [])
      const { dueAt, statusCode } = yield* Fixture.get(fixture, again.id)
      assert.deepStrictEqual({ dueAt, statusCode }, { dueAt: Factories.at(108), statusCode: "number_limit" })
    }
  ),

  "submits nothing once calling hours are over": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: morning })
    const call = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token, at: 2 * hour - 3 })
    const { accountId, storage } = fixture
    const submit = (at: number) =>
      Effect.map(
        storage.dispatch.submit({ accountId, callIds: [call.id], token, now: Factories.at(at) }),
        (submitted) => submitted.size
      )
    assert.strictEqual(yield* submit(2 * hour), 0)
    assert.strictEqual(yield* submit(2 * hour - 0.001), 1)
  }),

  "stops at the daily limit, moves nothing, and continues when the account's next day begins": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, dailyLimit: 3 } })
    const calls = yield* startMany(fixture, 5)
    assert.strictEqual(yield* claimed(fixture, 0, 2), 2)
    assert.strictEqual(yield* claimed(fixture, 1), 1)
    assert.deepStrictEqual(yield* Fixture.claim(fixture, { at: 2 }), { claimed: [], moved: 0, isLocked: false })
    assert.strictEqual((yield* facts(fixture, 3)).placedToday, 3)
    assert.isFalse(yield* Fixture.isDue(fixture, "dial", 14 * hour - 1))
    assert.isTrue(yield* Fixture.isDue(fixture, "dial", 14 * hour))
    assert.strictEqual((yield* facts(fixture, 14 * hour)).placedToday, 0)
    assert.strictEqual(yield* claimed(fixture, 14 * hour), 2)
    const last = calls[4]
    assert.strictEqual((yield* Fixture.get(fixture, last?.id ?? Factories.callId())).status, "dialing")
  }),

  "does not count a call that was never dialed towards the day": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, dailyLimit: 1 } })
    yield* startMany(fixture, 2)
    const token = Factories.token()
    const { claimed: [first] } = yield* Fixture.claim(fixture, { token })
    yield* Fixture.claim(fixture, { at: 1 })
    assert.isFalse(yield* Fixture.isDue(fixture, "dial", 2))
    const { accountId, storage } = fixture
    yield* storage.dispatch.returnToQueue({
      accountId,
      callIds: first === undefined ? [] : [first.call.id],
      token,
      now: Factories.at(2),
      reason: "not_submitted",
      events: EventBodies.eventWriter(Factories.at(2))
    })
    assert.isTrue(yield* Fixture.isDue(fixture, "dial", 2))
    assert.strictEqual((yield* facts(fixture, 2)).placedToday, 0)
    assert.strictEqual(yield* claimed(fixture, 2), 1)
  }),

  "counts the day again when a limit is set, removed and set again": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const limited = { policy: { ...Factories.openPolicy, dailyLimit: 3 } }
    yield* startMany(fixture, 6)
    yield* storage.accounts.update(accountId, limited)
    assert.strictEqual(yield* claimed(fixture, 0, 1), 1)
    yield* storage.accounts.update(accountId, { policy: Factories.openPolicy })
    assert.strictEqual(yield* claimed(fixture, 1, 1), 1)
    yield* storage.accounts.update(accountId, limited)
    assert.strictEqual(yield* claimed(fixture, 2), 1)
  }),

  "never dials more than the calls per second in any second": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, callsPerSecond: 2 } })
    yield* startMany(fixture, 5)
    assert.strictEqual(yield* claimed(fixture, 0.5, 1), 1)
    assert.strictEqual(yield* claimed(fixture, 0.9), 1)
    assert.strictEqual(yield* claimed(fixture, 1), 0)
    assert.isFalse(yield* Fixture.isDue(fixture, "dial", 1.499))
    assert.isTrue(yield* Fixture.isDue(fixture, "dial", 1.5))
    assert.strictEqual(yield* claimed(fixture, 1.5), 1)
    assert.strictEqual(yield* claimed(fixture, 1.899), 0)
    assert.strictEqual(yield* claimed(fixture, 1.9), 1)
  }),

  "clears the lanes' closing times when the policy changes": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: morning })
    yield* Fixture.start(fixture)
    yield* Fixture.claim(fixture, { at: 10 * hour })
    yield* fixture.storage.accounts.update(fixture.accountId, { policy: Factories.openPolicy })
    assert.isTrue(yield* Fixture.isDue(fixture, "dial", 10 * hour))
    const [first, second] = [yield* claimed(fixture, 10 * hour), yield* claimed(fixture, 10 * hour)]
    assert.strictEqual(first + second, 1)
  }),

  "raises the plan version with a policy, and otherwise keeps it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const version = Effect.map(facts(fixture, 0), ({ account }) => account.planVersion)
    const first = yield* version
    yield* storage.accounts.update(accountId, { lines: 9, paused: true, name: "Other" })
    assert.strictEqual(yield* version, first)
    yield* storage.accounts.update(accountId, { policy: morning })
    assert.strictEqual(yield* version, first + 1)
  }),

  "returns what the rules need: lines, the last second, the number's dials, newest first, without dials that the carrier refused":
    Effect.gen(function*() {
      const fixture = yield* Fixture.make({
        policy: { ...Factories.openPolicy, numberLimits: [{ max: 3, windowSeconds: 10 * hour }] }
      })
      const first = yield* Fixture.start(fixture)
      const again = (at: number, end: "busy" | "failed") =>
        Effect.gen(function*() {
          const { callId } = yield* Fixture.submitted(fixture, {
            phoneNumber: first.phoneNumber,
            createdAt: Factories.at(at)
          }, at)
          yield* Fixture.report(fixture, callId, at + 1, {
            _tag: "Ended",
            at: Factories.at(at + 1),
            result: end,
            ...(end === "failed" && { code: "carrier_refused" }),
            transcript: [],
            recorded: false
          })
        })
      yield* fixture.storage.calls.cancel({
        accountId: fixture.accountId,
        id: first.id,
        now: Factories.start,
        events: EventBodies.eventWriter(Factories.start)
      })
      yield* again(10, "busy")
      yield* again(20, "busy")
      yield* again(30, "failed")
      yield* again(40, "busy")
      const waiting = yield* Fixture.start(fixture, { phoneNumber: first.phoneNumber, dueAt: Factories.at(100) })
      const live = yield* Fixture.submitted(fixture, { createdAt: Factories.at(50) }, 50)
      const other = yield* Fixture.get(fixture, live.callId)
      const { linesInUse, numbers, placedLastSecond } = yield* facts(fixture, 50.5, waiting, other)
      assert.deepStrictEqual({ linesInUse, placedLastSecond }, { linesInUse: 1, placedLastSecond: [Factories.at(50)] })
      assert.deepStrictEqual(numbers.get(waiting.phoneNumber), {
        waitingCallId: waiting.id,
        isBusy: false,
        doNotCall: false,
        dials: [Factories.at(40), Factories.at(20), Factories.at(10)]
      })
      assert.deepStrictEqual(numbers.get(other.phoneNumber), {
        isBusy: true,
        doNotCall: false,
        dials: [Factories.at(50)]
      })
    }),

  "examines a queued call again when the call to its number has ended, or was never dialed": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId, token } = yield* Fixture.submitted(fixture)
    const { phoneNumber } = yield* Fixture.get(fixture, callId)
    const next = yield* Fixture.start(fixture, { phoneNumber })
    yield* Fixture.claim(fixture, { at: 1 })
    const held = yield* Fixture.get(fixture, next.id)
    assert.deepStrictEqual(
      { code: held.statusCode, dueAt: held.dueAt },
      { code: "number_busy", dueAt: DateTime.addDuration(Factories.at(1), Duration.minutes(1)) }
    )
    yield* Fixture.report(fixture, callId, 30, Fixture.talked(5, 30))
    assert.deepStrictEqual((yield* Fixture.get(fixture, next.id)).dueAt, Factories.at(30))
    const claim = yield* Fixture.claim(fixture, { at: 30 })
    assert.deepStrictEqual(claim.claimed.map(({ call }) => call.id), [next.id])
    assert.notStrictEqual(token, claim.claimed[0]?.call.claim?.token)
  }),

  "examines a queued call again whatever held it, and never before its requested time": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const ended = Effect.fnUntraced(function*(overrides: Partial<Call.CallRecord>) {
        const { callId } = yield* Fixture.submitted(fixture)
        const { phoneNumber } = yield* Fixture.get(fixture, callId)
        const next = yield* Fixture.start(fixture, { phoneNumber, dueAt: Factories.at(hour), ...overrides })
        yield* Fixture.report(fixture, callId, 30, Fixture.talked(5, 30))
        return (yield* Fixture.get(fixture, next.id)).dueAt
      })
      assert.deepStrictEqual(yield* ended({ statusCode: "outside_calling_hours" }), Factories.at(30))
      assert.deepStrictEqual(yield* ended({ notBefore: Factories.at(60) }), Factories.at(60))
    }
  )
}
