/** Claims: lines, order, one claimer per call, and the check before the dial. */
import { assert } from "@effect/vitest"
import { type Call, type DialDecision, EventBodies, Ids, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const ids = (result: { readonly claimed: ReadonlyArray<{ readonly call: { readonly id: Ids.CallId } }> }) =>
  result.claimed.map(({ call }) => call.id)

const startMany = (fixture: Fixture.Fixture, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Fixture.start(fixture))

const submit = ({ accountId, storage }: Fixture.Fixture, callId: Ids.CallId, token: Ids.ClaimToken, seconds: number) =>
  Effect.map(
    storage.dispatch.submit({ accountId, callIds: [callId], token, now: Factories.at(seconds) }),
    (submitted) => submitted.has(callId)
  )

const giveBack = (
  { accountId, storage }: Fixture.Fixture,
  callId: Ids.CallId,
  token: Ids.ClaimToken,
  reason: Storage.ReturnReason,
  seconds = 1
) =>
  storage.dispatch.returnToQueue({
    accountId,
    callIds: [callId],
    token,
    now: Factories.at(seconds),
    reason,
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

/** The real rules, except for the calls with a given decision. */
const deciding = (
  decide: (call: Call.CallRecord) => DialDecision.DialDecision | undefined
): DialDecision.DialRules => ({
  ...Factories.rules,
  decide: (call, facts) => decide(call) ?? Factories.rules.decide(call, facts)
})

export const cases: Cases = {
  "claims within a second a call that became due before the first calls of a full claim": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 10 })
    for (const seconds of [3, 4, 5, 6]) yield* Fixture.start(fixture, { dueAt: Factories.at(seconds) })
    yield* Fixture.claim(fixture, { at: 10, limit: 1 })
    yield* Fixture.claim(fixture, { at: 10.5, limit: 1 })
    const late = yield* Fixture.start(fixture, { dueAt: Factories.at(1) })
    assert.deepStrictEqual(ids(yield* Fixture.claim(fixture, { at: 11, limit: 1 })), [late.id])
  }),

  "claims a new call while more are due than a claim returns": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 10 })
    const batch = { batchId: Ids.BatchId.make("batch_00000000000000000000000000") }
    for (const seconds of [3, 4, 5]) {
      yield* Fixture.start(fixture, { ...batch, batchIndex: seconds, dueAt: Factories.at(seconds) })
    }
    yield* Fixture.claim(fixture, { at: 10, limit: 1 })
    const single = yield* Fixture.start(fixture, { dueAt: Factories.at(10.1) })
    assert.deepStrictEqual(ids(yield* Fixture.claim(fixture, { at: 10.2, limit: 1 })), [single.id])
  }),

  "counts the line of a call that a clock which is behind has claimed, and finds it when its lease runs out": Effect
    .gen(
      function*() {
        const fixture = yield* Fixture.make({ lines: 4 })
        yield* startMany(fixture, 3)
        yield* Fixture.claim(fixture, { at: 10, limit: 2 })
        const [behind] = ids(yield* Fixture.claim(fixture, { at: 5, limit: 1 }))
        const { accountId, storage } = fixture
        const { linesInUse } = yield* storage.calls.dialFacts({
          accountId,
          phoneNumbers: [],
          now: Factories.at(11),
          rules: Factories.rules
        })
        assert.strictEqual(linesInUse, 3)
        yield* startMany(fixture, 3)
        assert.lengthOf(ids(yield* Fixture.claim(fixture, { at: 12 })), 1)
        assert.isFalse(yield* Fixture.isDue(fixture, "dial", 12))
        const stale = yield* storage.dispatch.claimStaleCalls({
          carriers: [Factories.carrier],
          accountId,
          limit: 10,
          now: Factories.at(300)
        })
        assert.lengthOf(stale, 4)
        assert.include(stale.map(({ callId }) => callId), behind)
      }
    ),

  "moves a due call to dialing under the claim, with the agent it was accepted with": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const agent = Option.getOrThrow(yield* fixture.storage.agents.get(fixture.accountId, fixture.agentId))
    yield* fixture.storage.agents.put({
      accountId: fixture.accountId,
      agent: Factories.agentDefinition({ id: fixture.agentId, script: "Another script" }),
      now: Factories.at(1)
    })
    const account = Option.getOrThrow(yield* fixture.storage.accounts.get(fixture.accountId))
    const token = Factories.token()
    const result = yield* Fixture.claim(fixture, { token, at: 2 })
    const claimed = {
      ...call,
      status: "dialing" as const,
      carrier: Factories.carrier,
      dialedAt: Factories.at(2),
      decision: {
        at: "2026-03-02T10:00:02.000Z",
        lines: 5,
        linesInUse: 0,
        callsPerSecond: 10_000,
        placedLastSecond: 0
      },
      claim: {
        token,
        epoch: account.epoch,
        dialBy: DateTime.addDuration(Factories.at(2), Limits.dialDeadline),
        leaseUntil: DateTime.addDuration(Factories.at(2), Limits.claimLease)
      }
    }
    assert.deepStrictEqual(result, { claimed: [{ call: claimed, agent }], moved: 0, isLocked: false })
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), claimed)
  }),

  "leaves a call alone until it is due": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture, { dueAt: Factories.at(60), statusCode: "not_before" })
    assert.isFalse(yield* Fixture.isDue(fixture, "dial", 59))
    assert.deepStrictEqual(ids(yield* Fixture.claim(fixture, { at: 59 })), [])
    assert.isTrue(yield* Fixture.isDue(fixture, "dial", 60))
    assert.deepStrictEqual(ids(yield* Fixture.claim(fixture, { at: 60 })), [call.id])
  }),

  "takes single calls before batches, then by due time, then by id": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const batchId = Ids.BatchId.make(Factories.callId().replace("call_", "batch_"))
    const batched = yield* Fixture.start(fixture, { batchId })
    const late = yield* Fixture.start(fixture, { dueAt: Factories.at(-1) })
    const early = yield* Fixture.start(fixture, { dueAt: Factories.at(-2) })
    const twin = yield* Fixture.start(fixture, { dueAt: Factories.at(-1) })
    assert.deepStrictEqual(ids(yield* Fixture.claim(fixture)), [early.id, late.id, twin.id, batched.id])
  }),

  "never claims more than the free lines, and more once one is free again": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 2 })
    yield* startMany(fixture, 5)
    const [first] = ids(yield* Fixture.claim(fixture))
    assert.isFalse(yield* Fixture.isDue(fixture, "dial", 0))
    assert.deepStrictEqual(ids(yield* Fixture.claim(fixture)), [])
    assert.isDefined(first)
    yield* Fixture.report(fixture, first ?? Factories.callId(), 5, Fixture.talked(1, 5))
    assert.isTrue(yield* Fixture.isDue(fixture, "dial", 5))
    assert.strictEqual((yield* Fixture.claim(fixture, { at: 5 })).claimed.length, 1)
  }),

  "claims no more than the limit": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* startMany(fixture, 4)
    assert.strictEqual((yield* Fixture.claim(fixture, { limit: 3 })).claimed.length, 3)
  }),

  "never exceeds the lines with 8 claimers at once, and claims no call twice": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 7 })
    yield* startMany(fixture, 30)
    const claimer = Effect.forEach(Array.from({ length: 6 }), () => Fixture.claim(fixture))
    const rounds = yield* Effect.all(Array.from({ length: 8 }, () => claimer), { concurrency: "unbounded" })
    const claimed = rounds.flat().flatMap(ids)
    assert.strictEqual(claimed.length, 7)
    assert.strictEqual(new Set(claimed).size, 7)
  }),

  "gives a call to one of two claimers": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.start(fixture)
    const claims = yield* Effect.all([Fixture.claim(fixture), Fixture.claim(fixture)], { concurrency: 2 })
    assert.strictEqual(claims.flatMap(ids).length, 1)
  }),

  "holds a call as the rules say, and examines the calls behind it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const held = yield* Fixture.start(fixture, { dueAt: Factories.at(-10) })
    const next = yield* Fixture.start(fixture)
    const until = Factories.at(3600)
    const { accountId, storage } = fixture
    const result = yield* storage.dispatch.claimDue({
      carrier: Factories.carrier,
      accountId,
      now: Factories.start,
      limit: 10,
      token: Factories.token(),
      rules: deciding((call) => call.id === held.id ? { _tag: "hold", until, code: "recall_gap" } : undefined),
      events: EventBodies.eventWriter(Factories.start)
    })
    assert.deepStrictEqual(ids(result), [next.id])
    assert.strictEqual(result.moved, 1)
    assert.deepStrictEqual(yield* Fixture.get(fixture, held.id), {
      ...held,
      dueAt: until,
      statusCode: "recall_gap",
      holds: [{ at: Factories.start, code: "recall_gap", until }]
    })
  }),

  "ends a call as the rules say, with its event": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const { accountId, storage } = fixture
    yield* storage.dispatch.claimDue({
      carrier: Factories.carrier,
      accountId,
      now: Factories.at(1),
      limit: 10,
      token: Factories.token(),
      rules: deciding(() => ({ _tag: "end", status: "canceled", code: "do_not_call" })),
      events: EventBodies.eventWriter(Factories.at(1))
    })
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), {
      ...call,
      status: "canceled",
      statusCode: "do_not_call",
      endedAt: Factories.at(1)
    })
    assert.strictEqual(Option.getOrThrow(yield* Fixture.terminalEvent(fixture, call.id)).type, "call.not_connected")
  }),

  "submits a claimed call once": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    assert.isTrue(yield* submit(fixture, call.id, token, 3))
    assert.isFalse(yield* submit(fixture, call.id, token, 3))
    const { claim } = yield* Fixture.get(fixture, call.id)
    assert.deepStrictEqual(claim?.submittedAt, Factories.at(3))
    assert.deepStrictEqual(claim?.leaseUntil, DateTime.addDuration(Factories.at(3), Limits.lineLease))
  }),

  "submits nothing after the dial deadline, or under another token": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    assert.isFalse(yield* submit(fixture, call.id, Factories.token(), 1))
    assert.isFalse(yield* submit(fixture, call.id, token, 10))
    assert.isTrue(yield* submit(fixture, call.id, token, 9.999))
  }),

  "submits nothing once the account was written": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    const account = Option.getOrThrow(yield* fixture.storage.accounts.get(fixture.accountId))
    yield* fixture.storage.accounts.put({ ...account, name: "Renamed" })
    assert.isFalse(yield* submit(fixture, call.id, token, 1))
  }),

  "claims and submits nothing for a paused account": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* Fixture.start(fixture)
    yield* storage.accounts.update(accountId, { paused: true })
    assert.isFalse(yield* Fixture.isDue(fixture, "dial", 1))
    assert.deepStrictEqual(yield* Fixture.claim(fixture, { at: 1 }), { claimed: [], moved: 0, isLocked: false })
    yield* storage.accounts.update(accountId, { paused: false })
    assert.strictEqual((yield* Fixture.claim(fixture, { at: 1 })).claimed.length, 1)
  }),

  "returns an unsubmitted call to the queue as if it had never been claimed": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    yield* giveBack(fixture, call.id, token, "not_submitted")
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), { ...call, dueAt: Factories.at(1) })
  }),

  "returns each dial of a call, also two within a millisecond": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* Fixture.setWebhook(fixture, { events: ["call.dialing"] })
    const { id } = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    yield* giveBack(fixture, id, token, "not_submitted", 0)
    yield* Fixture.claim(fixture)
    const page = { limit: 10, after: Option.none() }
    const { items } = yield* storage.events.list({ accountId, filter: { type: "call.dialing" }, page })
    assert.deepStrictEqual(items.map(({ callId }) => callId), [id, id])
  }),

  "does not return a call as unsubmitted that has been submitted in the meantime, since it may be ringing": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { callId, token } = yield* Fixture.submitted(fixture)
      const before = yield* Fixture.get(fixture, callId)
      yield* giveBack(fixture, callId, token, "not_submitted")
      assert.deepStrictEqual(yield* Fixture.get(fixture, callId), before)
    }
  ),

  "returns a submitted call as if it had never been claimed, if its process woke too late to ask the carrier": Effect
    .gen(
      function*() {
        const fixture = yield* Fixture.make()
        const { callId, token } = yield* Fixture.submitted(fixture)
        const { carrier: _, claim: __, decision: ___, dialedAt: ____, ...before } = yield* Fixture.get(fixture, callId)
        yield* giveBack(fixture, callId, token, "dial_deadline_passed")
        assert.deepStrictEqual(yield* Fixture.get(fixture, callId), {
          ...before,
          status: "queued",
          dueAt: Factories.at(1)
        })
      }
    ),

  "stops at the first call that has to wait": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const first = yield* Fixture.start(fixture, { dueAt: Factories.at(-10) })
    yield* Fixture.start(fixture)
    const { accountId, storage } = fixture
    const result = yield* storage.dispatch.claimDue({
      carrier: Factories.carrier,
      accountId,
      now: Factories.start,
      limit: 10,
      token: Factories.token(),
      rules: deciding((call) => call.id === first.id ? { _tag: "wait", code: "lines_busy" } : undefined),
      events: EventBodies.eventWriter(Factories.start)
    })
    assert.deepStrictEqual(result, { claimed: [], moved: 0, isLocked: false })
  }),

  "returns no call that another claim holds": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    yield* Fixture.claim(fixture)
    const before = yield* Fixture.get(fixture, call.id)
    yield* giveBack(fixture, call.id, Factories.token(), "carrier_unavailable")
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), before)
  }),

  "backs off while the carrier is unavailable, and fails the call at the 20th time": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    for (let n = 1; n <= 20; n++) {
      const token = Factories.token()
      const { dueAt } = yield* Fixture.get(fixture, call.id)
      const seconds = (dueAt.epochMilliseconds - Factories.start.epochMilliseconds) / 1000
      yield* Fixture.claim(fixture, { token, at: seconds })
      yield* giveBack(fixture, call.id, token, "carrier_unavailable", seconds)
      if (n === 1) {
        assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), {
          ...call,
          notBefore: Factories.at(2),
          dueAt: Factories.at(2),
          statusCode: "carrier_unavailable",
          holds: [{ at: Factories.start, code: "carrier_unavailable", until: Factories.at(2) }],
          unavailableCount: 1
        })
      }
    }
    const { status, statusCode, unavailableCount } = yield* Fixture.get(fixture, call.id)
    assert.deepStrictEqual({ status, statusCode, unavailableCount }, {
      status: "failed",
      statusCode: "carrier_unavailable",
      unavailableCount: 20
    })
  }),

  "fails a call that cannot return to the queue because its number has another queued call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    yield* Fixture.start(fixture, { phoneNumber: call.phoneNumber })
    yield* giveBack(fixture, call.id, token, "carrier_unavailable")
    const { status, statusCode } = yield* Fixture.get(fixture, call.id)
    assert.deepStrictEqual({ status, statusCode }, { status: "failed", statusCode: "superseded" })
    assert.isTrue(Option.isSome(yield* Fixture.terminalEvent(fixture, call.id)))
  })
}
