import { assert, it } from "@effect/vitest"
import { Call, Calls, Event, Ids, SimulatedTelephony, Storage, Webhooks, WebhookTransport } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Option, Ref, Schema } from "effect"
import { describe } from "vitest"

const decodeStart = Schema.decodeUnknownEffect(Call.StartCall)

/** Starts a call with the tenant's agent, to a number that ends as given. */
const start = Effect.fnUntraced(function*(phoneNumber: string, more: object = {}) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = yield* decodeStart({ agentId, phoneNumber, variables: { topic: "your visit" }, ...more })
  return yield* calls.start(accountId, request)
})

const get = Effect.fnUntraced(function*(id: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return yield* calls.get(accountId, id)
})

const subscribe = (events: ReadonlyArray<Event.SubscribableKind> = Event.defaultSubscription) =>
  Effect.gen(function*() {
    const { accountId } = yield* TestEngine.Tenant
    const webhooks = yield* Webhooks.Webhooks
    return yield* webhooks.set(accountId, { url: "https://example.com/hook", events })
  })

/** The bodies of what was delivered. */
const delivered = Effect.gen(function*() {
  const sent = yield* Ref.get(yield* WebhookTransport.Sent)
  return sent.map(({ body }) => JSON.parse(body))
})

const rings = Effect.gen(function*() {
  const log = yield* SimulatedTelephony.DialLog
  return (yield* log.rings).map(({ callId }) => callId)
})

const linesInUse = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const storage = yield* Storage.Storage
  return (yield* storage.work.accountsDue({ kind: "lease", now: yield* later, limit: 9 })).includes(accountId)
})
const later = Effect.sync(() =>
  Option.getOrThrow(Schema.decodeUnknownOption(Schema.DateTimeUtcFromString)("2099-01-01T00:00:00Z"))
)

describe("the life of a call", () => {
  it.effect("is queued, dialed, answered, finished and reported once with its outcome", () =>
    Effect.gen(function*() {
      yield* subscribe(["call.completed", "call.not_connected", "call.dialing", "call.in_progress"])
      const queued = yield* start("+14155550100", { contact: { name: "Grace" }, metadata: { secret: "for us" } })
      assert.strictEqual(queued.status, "queued")
      assert.isFalse(queued.idempotentReplay)
      yield* TestEngine.drain
      assert.strictEqual((yield* get(queued.id)).status, "dialing")
      yield* TestEngine.advance("13 seconds")
      assert.strictEqual((yield* get(queued.id)).status, "in_progress")
      yield* TestEngine.advance("2 minutes")
      const call = yield* get(queued.id)
      assert.strictEqual(call.status, "completed")
      assert.isAtLeast(call.durationSeconds ?? 0, 5)
      assert.strictEqual(call.answeredBy, "human")
      assert.strictEqual(call.outcome?.transcript[0]?.text, "Hello Grace, this is Ada about your visit.")
      assert.deepStrictEqual(Object.keys(call.outcome?.answers ?? {}), ["Does Tuesday suit you?"])
      assert.match(call.recordingUrl ?? "", /^https:\/\/outdial\.test\/v1\/calls\/call_/)
      assert.deepStrictEqual(yield* rings, [call.id])
      const events = yield* delivered
      assert.deepStrictEqual(events.map(({ type }) => type), ["call.dialing", "call.in_progress", "call.completed"])
      assert.strictEqual(events[2].data.outcome.summary, call.outcome?.summary)
      assert.strictEqual(events[2].data.metadata.secret, "for us")
      assert.isFalse(yield* linesInUse)
    }).pipe(Effect.provide(TestEngine.layer())))

  const endings: ReadonlyArray<readonly [string, string, Partial<typeof Call.Call.Type>, number]> = [
    ["busy", "+14155550105", { status: "busy" }, 1],
    ["a callee who never picks up", "+14155550106", { status: "no_answer" }, 1],
    ["voicemail", "+14155550107", { status: "no_answer", statusCode: "voicemail", answeredBy: "voicemail" }, 1],
    [
      "voicemail that the carrier recognizes late",
      "+14155550179",
      { status: "no_answer", statusCode: "voicemail", answeredBy: "voicemail" },
      1
    ],
    ["a callee who hangs up after a sentence", "+14155550108", { status: "completed" }, 1],
    ["a carrier that refuses", "+14155550109", {
      status: "failed",
      statusCode: "carrier_refused",
      statusReason: "The carrier refused the call: Declined (603).",
      carrierReason: { code: "603", message: "Declined" }
    }, 0],
    ["a carrier that is unavailable twice", "+14155550119", { status: "completed" }, 1],
    ["a carrier whose answer was lost though it rang", "+14155550129", { status: "completed" }, 1],
    ["a carrier whose answer was lost and nothing rang", "+14155550139", {
      status: "failed",
      statusCode: "carrier_lost"
    }, 0],
    ["a call that falls silent", "+14155550149", { status: "failed", statusCode: "carrier_lost" }, 1],
    ["reports doubled and out of order", "+14155550159", { status: "completed" }, 1],
    ["a last report that is lost", "+14155550169", { status: "completed" }, 1],
    ["a recording that comes after the end", "+14155550189", { status: "completed" }, 1],
    ["a callee who answers late", "+14155550199", { status: "completed" }, 1]
  ]
  it.effect("shows a recording that the carrier has announced in the event of its call, which waits for it", () =>
    Effect.gen(function*() {
      yield* subscribe()
      const { id } = yield* start("+14155550189")
      yield* TestEngine.advance("6 minutes")
      const { recordingUrl = "", status } = yield* get(id)
      assert.strictEqual(status, "completed")
      assert.match(recordingUrl, /^https:\/\/outdial\.test\/v1\/calls\/call_/)
      const events = yield* delivered
      assert.deepStrictEqual(events.map(({ type }) => type), ["call.completed"])
      assert.match(events[0]?.data.recording_url, /^https:\/\/outdial\.test\/v1\/calls\/call_/)
    }).pipe(Effect.provide(TestEngine.layer())))

  for (const [name, phoneNumber, expected, rung] of endings) {
    it.effect(`ends in one event, no line leaked, with ${name}`, () =>
      Effect.gen(function*() {
        yield* subscribe()
        const { id } = yield* start(phoneNumber)
        yield* TestEngine.advance("6 minutes")
        const call = yield* get(id)
        assert.deepInclude(call, expected)
        assert.isDefined(call.endedAt)
        assert.strictEqual((yield* rings).length, rung)
        const events = yield* delivered
        assert.deepStrictEqual(events.map(({ data, type }) => [type, data.status]), [[
          expected.status === "completed" ? "call.completed" : "call.not_connected",
          expected.status
        ]])
        assert.isFalse(yield* linesInUse)
      }).pipe(Effect.provide(TestEngine.layer())))
  }

  it.effect("never uses more lines than the account has, and dials on as they become free", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(
        Array.from({ length: 9 }, (_, n) => `+1415555020${n % 5}`),
        (number, n) => start(number.replace("020", `0${30 + n}`))
      )
      yield* TestEngine.drain
      assert.strictEqual((yield* rings).length, 2)
      yield* TestEngine.advance("15 minutes")
      assert.strictEqual((yield* rings).length, 9)
    }).pipe(Effect.provide(TestEngine.layer({ lines: 2 }))))

  it.effect("completes a test call at once, rings no phone and sends its event", () =>
    Effect.gen(function*() {
      yield* subscribe()
      const call = yield* start("+14155550100", { test: true })
      assert.strictEqual(call.status, "completed")
      assert.include(["interested", "not_interested"], call.outcome?.disposition)
      assert.strictEqual(call.durationSeconds, 0)
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* rings, [])
      assert.deepStrictEqual((yield* delivered).map(({ test, type }) => [type, test]), [["call.completed", true]])
    }).pipe(Effect.provide(TestEngine.layer())))
})
