import { assert, it } from "@effect/vitest"
import { OutcomeSource, Outdial, Telephony } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const talked = Effect.fnUntraced(function*(more: object = {}) {
  const { id } = yield* Spec.start(more)
  yield* TestEngine.advance("5 minutes")
  return (yield* Spec.get(`/v1/calls/${id}`)).body
})

describe("2.1 Call", () => {
  it.effect("has the fields of the specification while it waits, and no others but the additive ones", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const { body } = yield* Spec.post("/v1/calls", yield* Spec.call({ metadata: { order: 7 } }))
      assert.match(body.id, /^call_/)
      assert.match(body.created_at, timestamp)
      assert.deepStrictEqual(body, {
        id: body.id,
        object: "call",
        status: "queued",
        agent_id: agentId,
        phone_number: "+14155550100",
        contact: { name: "Grace", external_id: "crm-7" },
        variables: { topic: "your visit" },
        metadata: { order: 7 },
        batch_id: null,
        test: false,
        created_at: body.created_at,
        outcome: null,
        idempotent_replay: false
      })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("has its times, duration, recording and outcome once it has ended", () =>
    Effect.gen(function*() {
      const call = yield* talked()
      for (const field of ["created_at", "dialed_at", "ended_at", "recording_expires_at"]) {
        assert.match(call[field], timestamp, field)
      }
      assert.isTrue(Number.isInteger(call.duration_seconds))
      assert.isAtLeast(call.duration_seconds, 5)
      assert.match(call.recording_url, /^https:\/\//)
      assert.isObject(call.outcome)
      assert.notProperty(call, "idempotent_replay")
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("links to a recording for about 24 hours; fetching the call again gives a fresh link", () =>
    Effect.gen(function*() {
      const call = yield* talked()
      const { pathname, search } = new URL(call.recording_url)
      const audio = yield* Spec.get(pathname + search, { key: null })
      assert.strictEqual(audio.status, 200)
      assert.strictEqual(audio.headers.get("content-type"), "audio/wav")
      yield* TestEngine.advance("23 hours")
      assert.strictEqual((yield* Spec.get(pathname + search, { key: null })).status, 200)
      yield* TestEngine.advance("2 hours")
      assert.strictEqual((yield* Spec.get(pathname + search, { key: null })).status, 404)
      const again = (yield* Spec.get(`/v1/calls/${call.id}`)).body
      const fresh = new URL(again.recording_url)
      assert.strictEqual((yield* Spec.get(fresh.pathname + fresh.search, { key: null })).status, 200)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("says in plain words and by a stable code why it waits, and until when", () =>
    Effect.gen(function*() {
      const call = yield* Spec.start({ not_before: "1970-01-01T09:00:00Z" })
      assert.deepInclude(call, { status_code: "not_before", scheduled_for: "1970-01-01T09:00:00.000Z" })
      assert.match(call.status_reason, /\w+ \w+/)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("leaves out duration, recording and status_reason where there is none", () =>
    Effect.gen(function*() {
      const call = yield* talked({ phone_number: "+14155550105" })
      assert.strictEqual(call.status, "busy")
      assert.strictEqual(call.duration_seconds, 0)
      assert.isNull(call.outcome)
      for (const field of ["recording_url", "recording_expires_at", "status_reason", "scheduled_for", "answered_by"]) {
        assert.notProperty(call, field)
      }
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("never shows metadata to the agent", () =>
    Effect.gen(function*() {
      const call = yield* talked({ metadata: { secret: "hidden-from-agents" } })
      assert.notInclude(JSON.stringify(call.outcome), "hidden-from-agents")
      assert.strictEqual(call.metadata.secret, "hidden-from-agents")
    }).pipe(Effect.provide(Spec.layer())))

  it.live("gives metadata neither to the carrier nor to the outcome source", () =>
    Effect.promise(async () => {
      const received: Array<unknown> = []
      const transcript = [{ speaker: "contact", text: "Hello" }] as const
      const telephony = Telephony.Telephony.layerOf(({ report }) => ({
        name: "ours",
        notFoundLagSeconds: 1,
        dial: async (request) => {
          received.push(request)
          const { accountId, callId } = request
          const [at, answeredAt] = [new Date(), new Date()]
          await report({ accountId, callId, event: { type: "ended", result: "hung_up", at, answeredAt, transcript } })
          return { carrierCallId: "c1" }
        },
        lookUp: async () => ({ status: "not_found" }),
        hangUp: async () => {}
      }))
      const outcomes = OutcomeSource.OutcomeSource.layerOf((conversation) => {
        received.push(conversation)
        return { disposition: "yes", summary: "", answers: {}, callbackRequested: false, transcript }
      })
      const agent = { name: "Ada", script: "Hello", questions: [], dispositions: ["yes"] }
      const policy = { callingHours: null }
      await using engine = await Outdial.open({ telephony, outcomes, agents: [agent], policy, workers: false })
      const agentId = (await engine.agents.list())[0]?.id ?? ""
      const metadata = { secret: "hidden-from-agents" }
      const { id } = await engine.calls.start({ agentId, phoneNumber: "+14155550100", metadata })
      await engine.drain()
      const call = await engine.calls.get(id)
      assert.deepStrictEqual([call.status, call.outcome?.disposition, call.metadata], ["completed", "yes", metadata])
      assert.lengthOf(received, 2)
      assert.notInclude(JSON.stringify(received), "hidden-from-agents")
    }))
})

describe("2.2 Outcome", () => {
  it.effect("has a disposition of the agent's, answers by question and the transcript", () =>
    Effect.gen(function*() {
      const { outcome } = yield* talked()
      assert.include(["interested", "not_interested"], outcome.disposition)
      assert.isString(outcome.summary)
      assert.deepStrictEqual(Object.keys(outcome.answers), ["Does Tuesday suit you?"])
      assert.isBoolean(outcome.callback_requested)
      for (const turn of outcome.transcript) {
        assert.include(["agent", "contact"], turn.speaker)
        assert.isString(turn.text)
      }
      assert.strictEqual(outcome.transcript[0].text, "Hello Grace, this is Ada about your visit.")
    }).pipe(Effect.provide(Spec.layer())))
})

describe("2.2 Outcome on the wire", () => {
  const whole = {
    ...Factories.outcome,
    followUpNote: "bring the papers",
    meeting: { ...Factories.outcome.meeting, timeText: "Tuesday at ten" }
  }
  const outcomes = Layer.succeed(OutcomeSource.OutcomeSource, { make: () => Effect.succeed(whole) })

  it.effect("has every field by its name, and meeting.at with the offset it came with", () =>
    Effect.gen(function*() {
      const { outcome } = yield* talked()
      assert.deepStrictEqual(outcome, {
        disposition: "interested",
        summary: "They would like to come.",
        answers: { "Does Tuesday suit you?": "Yes" },
        lead_rating: 8,
        callback_requested: true,
        callback_time_text: "tomorrow at ten",
        follow_up: "CALL",
        follow_up_note: "bring the papers",
        meeting: { requested: true, at: "2026-03-03T10:00:00+01:00", time_text: "Tuesday at ten", type: "call" },
        transcript: [{ speaker: "agent", text: "Hello" }, { speaker: "contact", text: "Hi — ja, gern" }]
      })
    }).pipe(Effect.provide(Spec.layer({ outcomes }))))

  it.effect("is null until it was made", () =>
    Effect.gen(function*() {
      const call = yield* talked()
      assert.strictEqual(call.status, "completed")
      assert.isNull(call.outcome)
    }).pipe(Effect.provide(Spec.layer({
      outcomes: Layer.succeed(OutcomeSource.OutcomeSource, {
        make: () => Effect.fail(new OutcomeSource.OutcomeFailed({ cause: "not yet" }))
      })
    }))))
})

describe("2.3 Batch", () => {
  it.effect("has its counts, an item per accepted row and one per rejected row", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const { agent_id: _, ...row } = yield* Spec.call()
      const { body } = yield* Spec.post("/v1/batches", { agent_id: agentId, calls: [row, { phone_number: "x" }] })
      assert.match(body.id, /^batch_/)
      assert.deepInclude(body, {
        object: "batch",
        agent_id: agentId,
        test: false,
        accepted_count: 1,
        rejected_count: 1
      })
      assert.deepInclude(body.calls[0], { index: 0, phone_number: "+14155550100", external_id: "crm-7" })
      assert.match(body.calls[0].id, /^call_/)
      assert.deepInclude(body.rejected[0], { index: 1, phone_number: "x", code: "invalid_request" })
      assert.isString(body.rejected[0].message)
    }).pipe(Effect.provide(Spec.layer())))
})

describe("2.4 Webhook", () => {
  it.effect("shows its secret when first set and its hint ever after", () =>
    Effect.gen(function*() {
      const set = yield* Spec.setWebhook()
      assert.match(set.secret, /^whsec_[0-9A-Za-z]{48}$/)
      const { body } = yield* Spec.get("/v1/webhook")
      assert.deepStrictEqual(body, {
        object: "webhook",
        url: "https://example.com/hook",
        enabled: true,
        events: ["call.completed", "call.not_connected"],
        secret_hint: `whsec_…${set.secret.slice(-4)}`,
        created_at: set.created_at,
        updated_at: set.updated_at
      })
    }).pipe(Effect.provide(Spec.layer())))
})
