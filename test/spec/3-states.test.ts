import { assert, it } from "@effect/vitest"
import { type Policy, SimulatedTelephony, UsageReport } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Effect } from "effect"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

const statusOf = (id: string) => Effect.map(Spec.get(`/v1/calls/${id}`), ({ body }) => body.status)

const cancel = (id: string) => Spec.request("POST", `/v1/calls/${id}/cancel`)

describe("3 States and transitions", () => {
  it.effect("a valid request makes a call that is queued, then dialing, in_progress and completed", () =>
    Effect.gen(function*() {
      const { id, status } = yield* Spec.start()
      assert.strictEqual(status, "queued")
      yield* TestEngine.drain
      assert.strictEqual(yield* statusOf(id), "dialing")
      yield* TestEngine.advance("13 seconds")
      assert.strictEqual(yield* statusOf(id), "in_progress")
      yield* TestEngine.advance("2 minutes")
      assert.strictEqual(yield* statusOf(id), "completed")
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("a test call is completed at once, with a sample outcome, and the webhook fires", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      const call = yield* Spec.start({ test: true })
      assert.deepInclude(call, { status: "completed", test: true })
      assert.isObject(call.outcome)
      yield* TestEngine.drain
      assert.deepStrictEqual((yield* Spec.events).map(({ type }) => type), ["call.completed"])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("a test call is completed at once, also with a not_before", () =>
    Effect.gen(function*() {
      const call = yield* Spec.start({ test: true, not_before: "1970-06-01T10:00:00Z" })
      assert.deepInclude(call, { status: "completed", test: true })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("cancel ends a call that is still queued", () =>
    Effect.gen(function*() {
      const { id } = yield* Spec.start()
      const { body, status } = yield* cancel(id)
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { id, status: "canceled", status_code: "canceled_by_client" })
      assert.strictEqual(yield* statusOf(id), "canceled")
    }).pipe(Effect.provide(Spec.layer({ lines: 0 }))))

  const ends: ReadonlyArray<readonly [string, string]> = [
    ["+14155550100", "completed"],
    ["+14155550105", "busy"],
    ["+14155550106", "no_answer"],
    ["+14155550107", "no_answer"],
    ["+14155550109", "failed"]
  ]
  for (const [phoneNumber, status] of ends) {
    it.effect(`cancel is refused, and changes nothing, for a call that is dialing and for one that is ${status}`, () =>
      Effect.gen(function*() {
        const { id } = yield* Spec.start({ phone_number: phoneNumber })
        yield* TestEngine.drain
        const before = yield* statusOf(id)
        const early = yield* cancel(id)
        assert.deepInclude(early.body.error, { code: "call_not_cancelable", call_id: id, call_status: before })
        yield* TestEngine.advance("5 minutes")
        const late = yield* cancel(id)
        assert.deepStrictEqual(Spec.refusal(late), [409, "call_not_cancelable"])
        assert.strictEqual(late.body.error.call_status, status)
        assert.strictEqual(yield* statusOf(id), status)
      }).pipe(Effect.provide(Spec.layer())))
  }

  it.effect("cancel is refused for a call that is in_progress, and for one that was canceled or has expired", () =>
    Effect.gen(function*() {
      const talking = (yield* Spec.start()).id
      const waiting = { not_before: "1970-01-01T01:00:00Z" }
      const canceled = (yield* Spec.start({ phone_number: "+14155550101", ...waiting })).id
      const expired =
        (yield* Spec.start({ phone_number: "+14155550102", ...waiting, expires_at: "1970-01-01T01:00:01Z" })).id
      yield* cancel(canceled)
      yield* TestEngine.advance("13 seconds")
      assert.strictEqual((yield* cancel(talking)).body.error.call_status, "in_progress")
      assert.strictEqual((yield* cancel(canceled)).body.error.call_status, "canceled")
      yield* TestEngine.advance("2 hours")
      assert.include(["expired", "completed"], (yield* cancel(expired)).body.error.call_status)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("no_answer and busy are reported as call.not_connected, completed as call.completed", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      yield* Effect.forEach(ends, ([phone_number]) => Spec.start({ phone_number }))
      yield* TestEngine.advance("5 minutes")
      const ended = (yield* Spec.events).map(({ data, type }) => [data.phone_number, type, data.status])
      assert.sameDeepMembers(
        ended,
        ends.map(([phoneNumber, status]) => [
          phoneNumber,
          status === "completed" ? "call.completed" : "call.not_connected",
          status
        ])
      )
    }).pipe(Effect.provide(Spec.layer({ lines: 10 }))))

  it.effect("a call that is held stays queued, and scheduled_for shows when it is due", () =>
    Effect.gen(function*() {
      const { id } = yield* Spec.start({ not_before: "1970-01-01T01:00:00Z" })
      yield* TestEngine.advance("59 minutes")
      const { body } = yield* Spec.get(`/v1/calls/${id}`)
      assert.deepInclude(body, { status: "queued", scheduled_for: "1970-01-01T01:00:00.000Z" })
      yield* TestEngine.advance("2 minutes")
      assert.notStrictEqual(yield* statusOf(id), "queued")
    }).pipe(Effect.provide(Spec.layer())))

  const morning = [{ start: "09:00", end: "20:00" }]
  const hours = { mon: morning, tue: morning, wed: morning, thu: morning, fri: morning, sat: morning, sun: morning }
  const holds: ReadonlyArray<readonly [string, Policy.PolicyDocument, string, string]> = [
    ["outside calling hours", { callingHours: hours }, "outside_calling_hours", "1970-01-01T09:00:00.000Z"],
    ["by the gap since the last call", { recallGapSeconds: 7200 }, "recall_gap", "1970-01-01T02:00:00.000Z"],
    ["by the daily limit", { dailyLimit: 1, timeZone: "Etc/UTC" }, "daily_limit", "1970-01-02T00:00:00.000Z"]
  ]
  for (const [why, rule, code, scheduledFor] of holds) {
    it.effect(`a call that is held ${why} shows why and when it is due, and is dialed then`, () =>
      Effect.gen(function*() {
        const contact = { time_zone: "Etc/UTC" }
        if (code !== "outside_calling_hours") {
          yield* Spec.start({ contact })
          yield* TestEngine.advance("30 minutes")
        }
        const call = yield* Spec.start({ contact })
        const held = { status: "queued", status_code: code, scheduled_for: scheduledFor }
        assert.deepInclude(call, held)
        assert.match(call.status_reason, /^Waiting /)
        yield* TestEngine.advance("1 hour")
        const { body } = yield* Spec.get(`/v1/calls/${call.id}`)
        assert.deepInclude(body, { ...held, status_reason: call.status_reason })
        const { body: { data: [listed] } } = yield* Spec.get("/v1/calls?status=queued")
        assert.deepStrictEqual(listed, body)
        const { body: explained } = yield* Spec.get(`/v1/calls/${call.id}/explanation`)
        assert.deepInclude(explained, { decision: "wait", code, scheduled_for: scheduledFor })
        const due = DateTime.makeUnsafe(scheduledFor).epochMilliseconds
        const { epochMilliseconds: now } = yield* DateTime.now
        yield* TestEngine.advance(due - now - 1)
        assert.strictEqual(yield* statusOf(call.id), "queued")
        yield* TestEngine.advance("5 minutes")
        const { body: ended } = yield* Spec.get(`/v1/calls/${call.id}`)
        assert.deepInclude(ended, { status: "completed", dialed_at: scheduledFor })
        assert.doesNotHaveAnyKeys(ended, ["scheduled_for", "status_reason", "status_code"])
      }).pipe(Effect.provide(Spec.layer({ policy: { ...Factories.openPolicy, ...rule } }))))
  }

  it.effect("a call that waits for a number that is put on the do-not-call list is canceled", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      const call = yield* Spec.start({ not_before: "1970-01-01T01:00:00Z" })
      yield* Spec.post("/v1/do_not_call", { phone_numbers: [call.phone_number] })
      const { body } = yield* Spec.get(`/v1/calls/${call.id}`)
      assert.deepInclude(body, { status: "canceled", status_code: "do_not_call" })
      yield* TestEngine.advance("2 hours")
      assert.deepStrictEqual((yield* Spec.events).map(({ type }) => type), ["call.not_connected"])
      const log = yield* SimulatedTelephony.DialLog
      assert.deepStrictEqual(yield* log.rings, [])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("a call that waits too long expires", () =>
    Effect.gen(function*() {
      const { id } = yield* Spec.start({ expires_at: "1970-01-01T01:00:00Z" })
      yield* TestEngine.advance("1 hour")
      assert.strictEqual(yield* statusOf(id), "expired")
    }).pipe(Effect.provide(Spec.layer({ lines: 0 }))))

  it.effect("the service does not redial; a retry is a new call", () =>
    Effect.gen(function*() {
      const numbers = ["+14155550105", "+14155550106", "+14155550107", "+14155550149"]
      const ids = yield* Effect.forEach(numbers, (phone_number) =>
        Effect.map(Spec.start({ phone_number }), ({ id }) => id))
      yield* TestEngine.advance("10 days")
      const log = yield* SimulatedTelephony.DialLog
      assert.sameMembers(
        (yield* log.rings).map(({ callId }) =>
          callId as string
        ),
        ids
      )
      const again = yield* Spec.start({ phone_number: numbers[0] })
      assert.notInclude(ids, again.id)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("a test call rings no phone, and is no use that anybody could be billed for", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { perDay } = yield* UsageReport.UsageReport
      const used = Effect.map(perDay(accountId, { from: "1970-01-01", to: "1970-01-01" }), ([day]) => day?.callsPlaced)
      const log = yield* SimulatedTelephony.DialLog
      yield* Spec.start({ test: true })
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual([(yield* log.rings).length, yield* used], [0, 0])
      yield* Spec.start()
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual([(yield* log.rings).length, yield* used], [1, 1])
    }).pipe(Effect.provide(Spec.layer())))
})
