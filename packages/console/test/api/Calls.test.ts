import { assert, describe, it } from "@effect/vitest"
import { Accounts, Calls, Events, Webhooks } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Option } from "effect"
import * as Fixture from "./Fixture.ts"

const start = Effect.fnUntraced(function*(overrides: object = {}) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = { agentId, phoneNumber: "+14155550100", variables: { topic: "x" }, ...overrides }
  return (yield* calls.start(accountId, request)).id
})

const tomorrow = DateTime.makeUnsafe(86_400_000)

const kinds = ({ body }: Fixture.Received) => body["items"].map(({ kind }: { readonly kind: string }) => kind)

describe("the timeline of a call", () => {
  it.effect("shows the steps of a completed call in order, with its event and the attempts to deliver it", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const webhooks = yield* Webhooks.Webhooks
      yield* webhooks.set(accountId, { url: "https://example.com/hook" })
      const id = yield* start()
      yield* TestEngine.advance("5 minutes")
      const timeline = yield* Fixture.inAccount(`/calls/${id}/timeline`, { role: "viewer" })
      const { items, trace_id: traceId } = timeline.body
      assert.isNull(traceId)
      assert.deepStrictEqual(kinds(timeline).slice(0, 2), ["created", "dialed"])
      assert.deepStrictEqual(kinds(timeline).slice(-2), ["event", "delivery"])
      assert.include(kinds(timeline), "ended")
      const times: ReadonlyArray<string> = items.map(({ at }: { readonly at: string }) => at)
      assert.deepStrictEqual(times, [...times].sort())
      const delivery = items.at(-1)
      assert.deepStrictEqual([delivery.attempt, delivery.state, delivery.status_code], [1, "delivered", 200])

      const events = yield* Events.Events
      const { items: [event] } = yield* events.list(accountId, { callId: id }, { limit: 5, after: Option.none() })
      const again = yield* Fixture.inAccount(`/events/${event?.id}/redeliver`, { method: "POST", role: "operator" })
      assert.deepStrictEqual([again.status, again.body["event_id"]], [202, event?.id])
      const recovered = yield* Fixture.inAccount("/events/recover", { body: { since: "1970-01-01T00:00:00Z" } })
      assert.strictEqual(recovered.status, 202)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("shows by what a waiting call is held, and refuses to hang it up", () =>
    Effect.gen(function*() {
      const id = yield* start({ notBefore: tomorrow })
      const { body } = yield* Fixture.inAccount(`/calls/${id}/timeline`)
      const [created, held] = body["items"]
      assert.deepStrictEqual(created, { at: "1970-01-01T00:00:00.000Z", kind: "created", batch_id: null, test: false })
      assert.deepStrictEqual(held, {
        at: "1970-01-01T00:00:00.000Z",
        kind: "held",
        status_code: "not_before",
        reason: "Waiting until the requested time.",
        until: "1970-01-02T00:00:00.000Z",
        is_current: true,
        omitted: 0
      })
      assert.lengthOf(body["items"], 2)
      const hangUp = yield* Fixture.inAccount(`/calls/${id}/hang-up`, { method: "POST" })
      assert.deepStrictEqual([hangUp.status, hangUp.body["error"].code], [409, "call_not_live"])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("shows what has held a call in order: its hours, the gap of its number, and then its dial", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const accounts = yield* Accounts.Accounts
      const hours = [{ start: "09:00", end: "20:00" }]
      const policy = { ...Factories.openPolicy, callingHours: { thu: hours, fri: hours } }
      // The first of January 1970 is a Thursday, and the phone is in a zone without summer time.
      const contact = { timeZone: "Etc/UTC" }
      yield* accounts.set(accountId, { policy })
      yield* TestEngine.advance("19 hours")
      yield* start({ contact })
      yield* TestEngine.advance("2 hours")
      const id = yield* start({ contact })
      const held = Effect.fnUntraced(function*() {
        const { body } = yield* Fixture.inAccount(`/calls/${id}/timeline`)
        return body["items"].filter(({ kind }: { readonly kind: string }) => kind === "held" || kind === "dialed")
          .map((item: Record<string, unknown>) => [item["at"], item["status_code"], item["until"], item["is_current"]])
      })
      const opens = "1970-01-02T09:00:00.000Z"
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual(yield* held(), [["1970-01-01T21:00:00.000Z", "outside_calling_hours", opens, true]])
      // The number was dialed 14 hours before that.
      yield* accounts.set(accountId, { policy: { ...policy, recallGapSeconds: 15 * 3600 } })
      yield* TestEngine.advance("11 hours")
      yield* TestEngine.advance("30 minutes")
      const night = ["1970-01-01T21:00:00.000Z", "outside_calling_hours", opens, false]
      assert.deepStrictEqual(yield* held(), [night, [opens, "recall_gap", "1970-01-02T10:00:00.000Z", true]])
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual(yield* held(), [
        night,
        [opens, "recall_gap", "1970-01-02T10:00:00.000Z", false],
        ["1970-01-02T10:00:00.000Z", undefined, undefined, undefined]
      ])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("shows each dial of a call whose carrier was out of reach at first", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const webhooks = yield* Webhooks.Webhooks
      yield* webhooks.set(accountId, { url: "https://example.com/hook", events: ["call.dialing"] })
      const id = yield* start({ phoneNumber: "+14155550119" })
      yield* TestEngine.advance("5 minutes")
      const timeline = yield* Fixture.inAccount(`/calls/${id}/timeline`)
      assert.deepStrictEqual(
        kinds(timeline).filter((kind: string) => ["answered", "created", "dialed"].includes(kind)),
        [
          "created",
          "dialed",
          "dialed",
          "dialed",
          "answered"
        ]
      )
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("hangs up a live call", () =>
    Effect.gen(function*() {
      const id = yield* start()
      yield* TestEngine.drain
      const hangUp = yield* Fixture.inAccount(`/calls/${id}/hang-up`, { method: "POST", role: "operator" })
      assert.deepStrictEqual([hangUp.status, hangUp.body["id"]], [200, id])
      const unknown = yield* Fixture.inAccount("/calls/call_0/timeline")
      assert.strictEqual(unknown.status, 404)
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("POST batches/check", () => {
  it.effect("says which rows would be rejected and writes nothing", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const row = { phone_number: "+14155550100", variables: { topic: "x" } }
      const rows = [
        row,
        row,
        { ...row, phone_number: "<script>alert(1)</script>" },
        { ...row, phone_number: "+14155550101", colour: "blue" },
        { phone_number: "+14155550102" }
      ]
      const checked = yield* Fixture.inAccount("/batches/check", {
        body: { agent_id: agentId, calls: rows },
        role: "operator"
      })
      assert.deepStrictEqual([checked.status, checked.body["accepted_count"], checked.body["rejected_count"]], [
        200,
        1,
        4
      ])
      assert.deepStrictEqual(
        checked.body["rejected"].map(({ code, index }: Record<string, unknown>) => [index, code]),
        [[1, "call_already_queued"], [2, "invalid_request"], [3, "invalid_request"], [4, "missing_variables"]]
      )
      const calls = yield* Calls.Calls
      const { items } = yield* calls.list(accountId, {}, { limit: 5, after: Option.none() })
      assert.deepStrictEqual(items, [])
      const none = yield* Fixture.inAccount("/batches/check", { body: { calls: [] } })
      assert.deepStrictEqual([none.status, Fixture.problems(none)], [400, ["/calls"]])
      const many = yield* Fixture.inAccount("/batches/check", {
        body: { calls: Array.from({ length: 1001 }, () => row) }
      })
      assert.strictEqual(many.body["error"].code, "batch_too_large")
    }).pipe(Effect.provide(Fixture.layer())))
})
