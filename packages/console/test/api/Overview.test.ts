import { assert, describe, it } from "@effect/vitest"
import { Accounts, Calls, Ids, Webhooks, Workers } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Fixture from "./Fixture.ts"

const start = Effect.fnUntraced(function*(phoneNumber: string, overrides: object = {}) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return yield* calls.start(accountId, { agentId, phoneNumber, variables: { topic: "x" }, ...overrides })
})

const overview = Effect.map(Fixture.inAccount("/overview", { role: "viewer" }), ({ body }) => body)

const tomorrow = DateTime.makeUnsafe(86_400_000)

/** More than an overview is cached for. */
const later = TestClock.adjust("3 seconds")

const day = [{ start: "09:00", end: "17:00" }]
const office = { mon: day, tue: day, wed: day, thu: day, fri: day }

describe("GET overview", () => {
  it.effect("shows what waits for what, what is live and what came of the day's calls", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      // The test's clock begins on a Thursday at midnight UTC.
      yield* start("+33140000001")
      yield* start("+33140000002")
      const notBefore = yield* start("+33140000003", { notBefore: tomorrow })
      assert.isDefined(notBefore.id)
      const body = yield* overview
      assert.deepStrictEqual(
        body["waiting"].map(({ calls, status_code: code }: Record<string, unknown>) => [code, calls]),
        [
          ["outside_calling_hours", 2],
          ["not_before", 1]
        ]
      )
      assert.deepStrictEqual(body["calls"], { queued: 3, dialing: 0, in_progress: 0 })
      assert.strictEqual(body["waiting"][0].first_due, "1970-01-01T08:00:00.000Z")
      assert.deepStrictEqual([body["paused"], body["all_paused"], body["waiting_exact"]], [false, false, true])
      assert.deepStrictEqual(body["webhook"], {
        configured: false,
        disabled: false,
        failing: false,
        open_deliveries: 0,
        oldest_due: null
      })
      const accounts = yield* Accounts.Accounts
      yield* accounts.set(accountId, { paused: true })
      yield* later
      const paused = yield* overview
      assert.deepStrictEqual([paused["paused"], paused["waiting"].length, paused["waiting"][0].status_code], [
        true,
        1,
        "account_paused"
      ])
    }).pipe(Effect.provide(Fixture.layer({ policy: { callingHours: office } }))))

  it.effect("counts the calls of the day, and open deliveries", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const webhooks = yield* Webhooks.Webhooks
      yield* webhooks.set(accountId, { url: "https://example.com/hook" })
      yield* start("+14155550100")
      yield* start("+14155550101")
      yield* TestEngine.advance("5 minutes")
      const { body } = yield* Fixture.inAccount("/overview")
      const { answered, completed, not_connected: notConnected, placed, time_zone: zone, day } = body["today"]
      assert.deepStrictEqual([placed, zone, day], [2, "UTC", "1970-01-01"])
      assert.isAtLeast(answered, completed)
      assert.strictEqual(completed + notConnected.no_answer + notConnected.busy + notConnected.failed, 2)
      assert.deepStrictEqual(body["webhook"].configured, true)
      assert.strictEqual(body["storage_ready"], true)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("is read once for all who watch, within two seconds", () =>
    Effect.gen(function*() {
      const first = yield* overview
      yield* start("+14155550100", { notBefore: tomorrow })
      assert.deepStrictEqual(yield* overview, first)
      yield* later
      assert.strictEqual((yield* overview)["calls"].queued, 1)
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("switches", () => {
  it.effect("pause and resume an account, all accounts and a carrier", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const accounts = yield* Accounts.Accounts
      const pause = (path: string, body?: object) => Fixture.send(path, { method: "POST", role: "operator", body })
      assert.deepStrictEqual(yield* pause(`/accounts/${accountId}/pause`, { paused: true }), {
        status: 200,
        body: { paused: true }
      })
      assert.isTrue((yield* accounts.get(accountId)).paused)
      yield* pause("/pause", { paused: true })
      assert.isTrue(yield* accounts.allPaused)
      yield* pause("/pause", { paused: false })
      assert.isFalse(yield* accounts.allPaused)

      assert.strictEqual((yield* pause(`/accounts/${accountId}/carriers/none/pause`)).status, 404)
      // A carrier is known by its live workers.
      const name = Ids.simulatedCarrier
      const workers = yield* Workers.Workers
      yield* workers.heartbeat({ runs: ["dispatcher"], carriers: [name] })
      assert.deepStrictEqual((yield* pause(`/accounts/${accountId}/carriers/${name}/pause`)).body, { paused: true })
      assert.deepStrictEqual((yield* pause(`/accounts/${accountId}/carriers/${name}/resume`)).body, { paused: false })
      yield* later
      const { body } = yield* Fixture.inAccount("/overview")
      assert.deepStrictEqual([body["workers"], body["carriers"]], [1, [
        { name, paused: false, paused_by: null, reason: null, since: null }
      ]])
      const wrong = yield* pause("/pause", { paused: "yes", why: "fire" })
      assert.deepStrictEqual([wrong.status, Fixture.problems(wrong)], [400, ["/why", "/paused"]])
    }).pipe(Effect.provide(Fixture.layer())))
})
