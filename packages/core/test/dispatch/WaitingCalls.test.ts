import { assert, it } from "@effect/vitest"
import { Call, Calls, Explanations, Ids, Page, SimulatedTelephony, Webhooks, WebhookTransport } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Option, Ref, Schema } from "effect"
import { describe } from "vitest"

const decode = Schema.decodeUnknownEffect(Call.StartCall)

const start = Effect.fnUntraced(function*(more: object = {}) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = yield* decode({ agentId, phoneNumber: "+14155550100", variables: { topic: "x" }, ...more })
  return yield* calls.start(accountId, request)
})

const get = Effect.fnUntraced(function*(id: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return yield* calls.get(accountId, id)
})

const cancel = Effect.fnUntraced(function*(id: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return yield* calls.cancel(accountId, id)
})

const subscribe = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const webhooks = yield* Webhooks.Webhooks
  return yield* webhooks.set(accountId, { url: "https://example.com/hook" })
})

const events = Effect.gen(function*() {
  const sent = yield* Ref.get(yield* WebhookTransport.Sent)
  return sent.map(({ body }) => JSON.parse(body)).map(({ data, type }) => [type, data.status, data.status_code])
})

const rings = Effect.gen(function*() {
  const log = yield* SimulatedTelephony.DialLog
  return (yield* log.rings).map(({ at }) => DateTime.formatIso(at))
})

describe("a waiting call", () => {
  it.effect("rings at the requested time, and shows until then why it waits", () =>
    Effect.gen(function*() {
      const call = yield* start({ notBefore: "1970-01-02T10:00:00+02:00" })
      assert.deepInclude(call, { status: "queued", statusCode: "not_before" })
      assert.strictEqual(DateTime.formatIso(call.scheduledFor ?? DateTime.makeUnsafe(0)), "1970-01-02T08:00:00.000Z")
      yield* TestEngine.advance("31 hours")
      assert.deepStrictEqual(yield* rings, [])
      yield* TestEngine.advance("2 hours")
      assert.deepStrictEqual(yield* rings, ["1970-01-02T08:00:00.000Z"])
      assert.notProperty(yield* get(call.id), "scheduledFor")
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("expires at its expiry, in one event, and does not ring", () =>
    Effect.gen(function*() {
      yield* subscribe
      const { id } = yield* start({ expiresAt: "1970-01-01T01:00:00Z" })
      yield* TestEngine.advance("59 minutes")
      assert.strictEqual((yield* get(id)).status, "queued")
      yield* TestEngine.advance("2 minutes")
      const { endedAt, status, statusCode } = yield* get(id)
      assert.deepStrictEqual({ status, statusCode }, { status: "expired", statusCode: "queue_expired" })
      assert.strictEqual(endedAt?.epochMilliseconds, 3_600_000)
      assert.deepStrictEqual(yield* events, [["call.not_connected", "expired", "queue_expired"]])
    }).pipe(Effect.provide(TestEngine.layer({ lines: 0 }))))

  it.effect("shows after its expiry why it was not dialed, also in its explanation", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const rules = yield* Explanations.Explanations
      const { id } = yield* start({ notBefore: "1970-01-01T02:00:00Z", expiresAt: "1970-01-01T03:00:00Z" })
      yield* TestEngine.advance("4 hours")
      const statusReason = "Not dialed before it expired at 1970-01-01T03:00:00.000Z: no line was free."
      assert.deepInclude(yield* get(id), { statusCode: "queue_expired", statusReason })
      assert.deepInclude(yield* rules.explain(accountId, id), { code: "queue_expired", reason: statusReason })
    }).pipe(Effect.provide(TestEngine.layer({ lines: 0 }))))

  it.effect("expires after seven days by default, counted from when it may be dialed", () =>
    Effect.gen(function*() {
      const now = yield* start()
      const later = yield* start({ phoneNumber: "+14155550101", notBefore: "1970-01-11T00:00:00Z" })
      yield* TestEngine.advance("7 days")
      assert.strictEqual((yield* get(now.id)).status, "expired")
      assert.strictEqual((yield* get(later.id)).status, "queued")
      yield* TestEngine.advance("10 days")
      assert.strictEqual((yield* get(later.id)).status, "expired")
    }).pipe(Effect.provide(TestEngine.layer({ lines: 0 }))))

  const wrong: ReadonlyArray<readonly [string, object, string]> = [
    ["expires in the past", { expiresAt: "1969-12-31T23:59:59Z" }, "expiresAt"],
    [
      "expires before it may be dialed",
      { notBefore: "1970-01-02T00:00:00Z", expiresAt: "1970-01-01T12:00:00Z" },
      "expiresAt"
    ],
    ["is asked for more than a year ahead", { notBefore: "1971-06-01T00:00:00Z" }, "notBefore"],
    ["expires more than a year ahead", { expiresAt: "1971-06-01T00:00:00Z" }, "expiresAt"]
  ]
  for (const [name, more, field] of wrong) {
    it.effect(`is refused when it ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(start(more))
        assert.strictEqual(error._tag, "CallRefused")
        if (error._tag !== "CallRefused" || error.reason._tag !== "InvalidRequest") return assert.fail(error.message)
        assert.deepStrictEqual(error.reason.problems.map(({ path }) => path), [[field]])
      }).pipe(Effect.provide(TestEngine.layer())))
  }

  it.effect("can be canceled, once, in one event, and its number called again", () =>
    Effect.gen(function*() {
      yield* subscribe
      const { id } = yield* start()
      assert.deepInclude(yield* cancel(id), { status: "canceled", statusCode: "canceled_by_client" })
      const error = yield* Effect.flip(cancel(id))
      assert.deepInclude(error, { _tag: "CallNotCancelable", callId: id, callStatus: "canceled" })
      yield* start()
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* events, [["call.not_connected", "canceled", "canceled_by_client"]])
    }).pipe(Effect.provide(TestEngine.layer({ lines: 0 }))))

  it.effect("cannot be canceled once it is dialed", () =>
    Effect.gen(function*() {
      const { id } = yield* start()
      yield* TestEngine.drain
      assert.deepInclude(yield* Effect.flip(cancel(id)), { _tag: "CallNotCancelable", callStatus: "dialing" })
      yield* TestEngine.advance("5 minutes")
      assert.deepInclude(yield* Effect.flip(cancel(id)), { _tag: "CallNotCancelable", callStatus: "completed" })
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("is listed with a fresh link to its recording, once there is one", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const { id } = yield* start()
      yield* TestEngine.advance("5 minutes")
      const page = yield* calls.list(accountId, {}, { limit: Page.limitOf(undefined), after: Option.none() })
      assert.deepStrictEqual(page, { hasMore: false, items: [yield* get(id)] })
      const before = yield* get(id)
      yield* TestEngine.advance("25 hours")
      const after = yield* get(id)
      assert.notStrictEqual(after.recordingUrl, before.recordingUrl)
      assert.isTrue(DateTime.isGreaterThan(
        after.recordingExpiresAt ?? DateTime.makeUnsafe(0),
        before.recordingExpiresAt ?? DateTime.makeUnsafe(0)
      ))
    }).pipe(Effect.provide(TestEngine.layer())))
})
