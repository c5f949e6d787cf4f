/** Statistics for operators. Other tests may use the storage, so figures are compared with earlier ones. */
import { Ids, Lane, Storage } from "@outdial/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "./Cases.ts"
import * as Steps from "./CarrierSteps.ts"
import * as Fixture from "./Fixture.ts"

const figures = (seconds: number) =>
  Effect.flatMap(Storage.Storage, (storage) => storage.stats.snapshot(Factories.at(seconds)))

/** By how much each figure has changed. */
const change = (before: Storage.StorageSnapshot, after: Storage.StorageSnapshot) => ({
  queuedCalls: after.queuedCalls - before.queuedCalls,
  liveCalls: after.liveCalls - before.liveCalls,
  lines: after.lines - before.lines,
  pendingOutcomes: after.pendingOutcomes - before.pendingOutcomes,
  openDeliveries: after.openDeliveries - before.openDeliveries,
  closed: after.endpoints.closed - before.endpoints.closed,
  disabled: after.endpoints.disabled - before.endpoints.disabled,
  pausedAccounts: after.pausedAccounts - before.pausedAccounts
})

export const cases: Cases = {
  "reports that it is ready": Effect.gen(function*() {
    const storage = yield* Storage.Storage
    assert.strictEqual(yield* storage.stats.state, "ready")
  }),

  "counts queued calls, live calls and pending deliveries of all accounts together": Effect.gen(function*() {
    const before = yield* figures(0)
    const [one, other] = [yield* Fixture.make({ lines: 3 }), yield* Fixture.make({ lines: 4 })]
    yield* Fixture.setWebhook(one)
    yield* Fixture.setWebhook(other, { enabled: false })
    yield* Fixture.complete(one)
    const { callId } = yield* Fixture.submitted(one)
    yield* Fixture.report(one, (yield* Fixture.submitted(one)).callId, 20, Fixture.talked(5, 20))
    yield* Fixture.start(other)
    yield* Fixture.start(other)
    yield* other.storage.accounts.update(other.accountId, { paused: true })
    assert.strictEqual((yield* Fixture.get(one, callId)).status, "dialing")
    assert.deepStrictEqual(change(before, yield* figures(30)), {
      queuedCalls: 2,
      liveCalls: 1,
      lines: 7,
      pendingOutcomes: 1,
      openDeliveries: 1,
      closed: 1,
      disabled: 1,
      pausedAccounts: 1
    })
  }),

  "returns since when the oldest work is due that nothing holds": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    // Long before the data of other tests.
    const since = Factories.at(-1_000_000)
    yield* Fixture.start(fixture, { createdAt: since, dueAt: since })
    assert.deepStrictEqual((yield* figures(0)).dueSince.get("dial"), since)
    assert.isUndefined((yield* figures(-1_000_001)).dueSince.get("dial"))
    yield* fixture.storage.accounts.update(fixture.accountId, { paused: true })
    assert.notDeepEqual((yield* figures(0)).dueSince.get("dial"), since)
  }),

  "counts no calls as late that wait for a paused carrier": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const carrier = Factories.carrierName()
    const { account } = yield* storage.calls.dialFacts({
      accountId,
      phoneNumbers: [],
      now: Factories.start,
      rules: Factories.rules
    })
    // Long before the data of other tests.
    const since = Factories.at(-2_000_000)
    const lane = Lane.make({ planVersion: account.planVersion, timeZones: ["Etc/UTC"], carriers: [carrier] })
    const { id } = yield* Fixture.start(fixture, { lane, createdAt: since, dueAt: since })
    const dueSince = Effect.map(figures(0), (all) => all.dueSince.get("dial"))
    assert.deepStrictEqual(yield* dueSince, since)
    yield* storage.carriers.pause({ carrier, now: Factories.start, by: "operator" })
    assert.notDeepEqual(yield* dueSince, since)
    yield* storage.carriers.resume({ carrier })
    assert.deepStrictEqual(yield* dueSince, since)
    yield* storage.calls.cancel({ accountId, id, now: Factories.start, events: Fixture.eventsAt(0) })
  }),

  "names the carriers of late calls that no live worker has, except while a pause holds these calls": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const { account } = yield* storage.calls.dialFacts({
        accountId,
        phoneNumbers: [],
        now: Factories.start,
        rules: Factories.rules
      })
      const [one = Factories.carrierName(), two = one] = [Factories.carrierName(), Factories.carrierName()].toSorted()
      // Long after the heartbeats of other tests.
      const at = 60_000_000
      const due = [[one, at - 90], [one, at - 70], [two, at - 60], [undefined, at - 90]] as const
      const started = yield* Effect.forEach(due, ([carrier, seconds]) => {
        const plan = { planVersion: account.planVersion, timeZones: ["Etc/UTC"] }
        const lane = Lane.make({ ...plan, ...(carrier !== undefined && { carriers: [carrier] }) })
        const [createdAt, dueAt] = [Factories.at(at - 100), Factories.at(seconds)]
        return Fixture.start(fixture, { lane, createdAt, dueAt, expiresAt: Factories.at(at + 1_000) })
      })
      const missing = (seconds: number) =>
        Effect.map(
          storage.stats.missingCarriers(Factories.at(seconds)),
          (all) => all.filter(({ carrier }) => [one, two].includes(carrier))
        )
      const works = Effect.fnUntraced(function*(carrier: Ids.CarrierName) {
        const id = Factories.workerId()
        const [startedAt, seenAt] = [Factories.at(at), Factories.at(at)]
        yield* storage.workers.put({
          id,
          version: "1.0.0",
          runs: ["dispatcher"],
          carriers: [carrier],
          startedAt,
          seenAt
        })
        return id
      })
      const [ofOne, ofTwo] = [{ carrier: one, since: Factories.at(at - 90) }, {
        carrier: two,
        since: Factories.at(at - 60)
      }]
      assert.deepStrictEqual(yield* missing(at), [])
      const other = yield* works(Factories.carrierName())
      assert.deepStrictEqual([yield* missing(at), yield* missing(at + 1)], [[ofOne], [ofOne, ofTwo]])
      yield* storage.carriers.pause({ carrier: one, now: Factories.start, by: "operator" })
      assert.deepStrictEqual(yield* missing(at + 1), [ofTwo])
      yield* storage.carriers.resume({ carrier: one })
      yield* storage.accounts.update(accountId, { paused: true })
      assert.deepStrictEqual(yield* missing(at + 1), [])
      yield* storage.accounts.update(accountId, { paused: false })
      const theirs = yield* works(one)
      assert.deepStrictEqual(yield* missing(at + 1), [ofTwo])
      yield* Effect.forEach([other, theirs], storage.workers.remove)
      assert.deepStrictEqual(yield* missing(at + 1), [])
      yield* Effect.forEach(
        started,
        ({ id }) => storage.calls.cancel({ accountId, id, now: Factories.start, events: Fixture.eventsAt(0) })
      )
    }
  ),

  "shows the carriers of live calls without a node for a lease": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const lost = Ids.CarrierName.make(`lost ${fixture.accountId}`)
    yield* Steps.submittedFor(fixture, lost)
    yield* Steps.submittedFor(fixture, lost)
    const shown = (seconds: number) =>
      Effect.map(
        fixture.storage.stats.strandedCalls(Factories.at(seconds)),
        (all) => all.filter(({ carrier }) => carrier === lost)
      )
    assert.deepStrictEqual(yield* shown(120), [])
    assert.deepStrictEqual(yield* shown(120.001), [{ carrier: lost, calls: 2, since: Factories.at(60) }])
    yield* Steps.stale(fixture, [lost], 121)
    assert.deepStrictEqual(yield* shown(122), [])
  })
}
