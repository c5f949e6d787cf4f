import { assert, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

const put = (body: unknown) => Spec.request("PUT", "/v1/webhook", { body })

describe("4.7 GET /v1/agents", () => {
  it.effect("lists the agents and the variables they use, without their scripts", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const key = yield* (yield* Spec.Api).makeKey(["calls:read"])
      const { body } = yield* Spec.get("/v1/agents", { key })
      const [agent] = body.data
      assert.deepStrictEqual(body, {
        object: "list",
        data: [{
          id: agentId,
          object: "agent",
          version: 1,
          name: "Ada",
          variables: [{ key: "topic", required: true }],
          dispositions: ["interested", "not_interested"],
          voicemail: "hang_up",
          max_duration_seconds: 600,
          silence_seconds: 10,
          interruptible: true,
          end_phrases: [],
          tools: [],
          created_at: agent.created_at,
          updated_at: agent.updated_at
        }],
        has_more: false,
        next_cursor: null
      })
      assert.deepStrictEqual((yield* Spec.get(`/v1/agents/${agentId}`, { key })).body, agent)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("beyond the specification: calls that wait are made with the version that they were accepted with", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const path = `/v1/agents/${agentId}`
      const waiting = yield* Spec.start()
      const { body: agent } = yield* Spec.get(path)
      const script = "Good morning, the script has changed."
      const { dispositions, name, questions } = agent
      yield* Spec.request("PUT", path, { body: { name, questions, dispositions, script } })
      const changed = yield* Spec.start({ phone_number: "+14155550200" })
      const { status } = yield* Spec.request("DELETE", path)
      assert.strictEqual(status, 200)
      const refused = yield* Spec.post("/v1/calls", yield* Spec.call({ phone_number: "+14155550300" }))
      assert.deepStrictEqual(Spec.refusal(refused), [422, "agent_not_found"])

      yield* TestEngine.advance("10 minutes")
      const firstWords = (id: string) =>
        Effect.map(Spec.get(`/v1/calls/${id}`), ({ body: { outcome, status } }) => [status, outcome.transcript[0].text])
      assert.deepStrictEqual(yield* firstWords(waiting.id), [
        "completed",
        "Hello Grace, this is Ada about your visit."
      ])
      assert.deepStrictEqual(yield* firstWords(changed.id), ["completed", script])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("knows no agent of another id", () =>
    Effect.gen(function*() {
      const unknown = yield* Spec.get("/v1/agents/00000000-0000-4000-8000-00000000dead")
      assert.deepStrictEqual(Spec.refusal(unknown), [404, "not_found"])
      assert.deepStrictEqual(Spec.refusal(yield* Spec.get("/v1/agents/ada")), [400, "invalid_request"])
    }).pipe(Effect.provide(Spec.layer())))
})

describe("4.8–4.10 the webhook", () => {
  it.effect("is not there until it is set: 201 with the secret first, 200 without it later", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Spec.refusal(yield* Spec.get("/v1/webhook")), [404, "not_found"])
      const first = yield* put({ url: "https://example.com/one" })
      assert.strictEqual(first.status, 201)
      assert.match(first.body.secret, /^whsec_/)
      const second = yield* put({ url: "https://example.com/two", events: ["call.completed"], enabled: false })
      assert.strictEqual(second.status, 200)
      assert.notProperty(second.body, "secret")
      assert.deepInclude(second.body, { url: "https://example.com/two", events: ["call.completed"], enabled: false })
      assert.strictEqual(second.body.secret_hint, first.body.secret_hint)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("refuses an invalid address, no events, and unknown and repeated kinds", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Spec.refusal(yield* put({ url: "nowhere" })), [400, "webhook_url_not_allowed"])
      for (const events of [[], ["call.exploded"], ["webhook.test"], ["call.completed", "call.completed"], "all"]) {
        const refused = yield* put({ url: "https://example.com/hook", events })
        assert.deepStrictEqual(Spec.refusal(refused), [400, "invalid_request"], JSON.stringify(events))
      }
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("DELETE stops sending events, is safe to repeat, and leaves calls readable; a later PUT mints a new secret", () =>
    Effect.gen(function*() {
      const { secret } = yield* Spec.setWebhook()
      const { id } = yield* Spec.start({ test: true })
      for (let n = 0; n < 2; n++) {
        const { body, status } = yield* Spec.request("DELETE", "/v1/webhook")
        assert.deepStrictEqual([status, body], [200, { object: "webhook", deleted: true }])
      }
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual(yield* Spec.events, [])
      assert.strictEqual((yield* Spec.get(`/v1/calls/${id}`)).status, 200)
      const recreated = yield* put({ url: "https://example.com/hook" })
      assert.strictEqual(recreated.status, 201)
      assert.notStrictEqual(recreated.body.secret, secret)
    }).pipe(Effect.provide(Spec.layer())))
})

describe("4.11 POST /v1/webhook/rotate-secret", () => {
  const rotate = (body?: unknown) =>
    Spec.request("POST", "/v1/webhook/rotate-secret", body === undefined ? {} : { body })

  it.effect("issues a new secret once; during the grace both sign", () =>
    Effect.gen(function*() {
      const first = (yield* Spec.setWebhook()).secret
      const { body, status } = yield* rotate()
      assert.strictEqual(status, 200)
      assert.match(body.secret, /^whsec_/)
      assert.strictEqual(body.previous_secret_expires_at, "1970-01-02T00:00:00.000Z")
      assert.notProperty((yield* Spec.get("/v1/webhook")).body, "secret")
      yield* Spec.start({ test: true })
      yield* TestEngine.drain
      const [sent] = yield* Spec.deliveries
      assert.strictEqual(sent?.headers["service-signature"]?.split("v1=").length, 3)
      assert.strictEqual(sent?.headers["webhook-signature"]?.split(" ").length, 2)
      assert.notStrictEqual(body.secret, first)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("allows two earlier secrets, refuses a third rotation, and ends all at once with a grace of 0", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      yield* rotate({ grace_period_seconds: 3600 })
      yield* rotate({ grace_period_seconds: 7200 })
      assert.deepStrictEqual(Spec.refusal(yield* rotate()), [409, "rotation_limit_reached"])
      const { body } = yield* rotate({ grace_period_seconds: 0 })
      assert.notProperty(body, "previous_secret_expires_at")
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("accepts a grace period of 0 to 604800 seconds", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      for (const grace_period_seconds of [-1, 604_801, 1.5, "60"]) {
        assert.deepStrictEqual(Spec.refusal(yield* rotate({ grace_period_seconds })), [400, "invalid_request"])
      }
      assert.strictEqual((yield* rotate({ grace_period_seconds: 604_800 })).status, 200)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("has nothing to rotate without a webhook", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Spec.refusal(yield* rotate()), [404, "not_found"])
    }).pipe(Effect.provide(Spec.layer())))
})

describe("4.12 POST /v1/webhook/test", () => {
  it.effect("sends one signed webhook.test at once, and returns its result", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook({ events: ["call.completed"] })
      const { body, status } = yield* Spec.request("POST", "/v1/webhook/test")
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { object: "webhook_test", delivered: true, status_code: 200 })
      const [event] = yield* Spec.events
      assert.deepInclude(event, { id: body.event_id, type: "webhook.test", test: true })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("is refused while the webhook is disabled", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook({ enabled: false })
      assert.deepStrictEqual(Spec.refusal(yield* Spec.request("POST", "/v1/webhook/test")), [409, "webhook_disabled"])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("is refused beyond 10 a minute, and without a webhook", () =>
    Effect.gen(function*() {
      const test = Spec.request("POST", "/v1/webhook/test")
      assert.deepStrictEqual(Spec.refusal(yield* test), [404, "not_found"])
      yield* Spec.setWebhook()
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* test).status, 200)
      const refused = yield* test
      assert.deepStrictEqual(Spec.refusal(refused), [429, "rate_limited"])
      assert.strictEqual(refused.headers.get("retry-after"), "60")
    }).pipe(Effect.provide(Spec.layer())))
})

describe("beyond the specification: events and deliveries", () => {
  it.effect("lists events as they were sent, and their deliveries with every attempt", () =>
    Effect.gen(function*() {
      const { secret } = yield* Spec.setWebhook()
      const { id } = yield* Spec.start({ test: true })
      yield* TestEngine.drain
      const [sent] = yield* Spec.deliveries
      const { body: events } = yield* Spec.get(`/v1/events?call_id=${id}`)
      assert.deepStrictEqual(events.data, [JSON.parse(sent?.body ?? "")])
      const [event] = events.data
      assert.deepStrictEqual((yield* Spec.get(`/v1/events/${event.id}`)).body, event)
      const { body: deliveries } = yield* Spec.get("/v1/webhook/deliveries?state=delivered")
      const [delivery] = deliveries.data
      assert.deepInclude(delivery, { event_id: event.id, state: "delivered" })
      const whole = (yield* Spec.get(`/v1/webhook/deliveries/${delivery.id}`)).body
      assert.deepInclude(whole.attempts[0], { status_code: 200 })
      // The clock of the test stands in 1970, where the library would refuse the timestamp as too old.
      assert.throws(() => new Webhook(secret).verify(sent?.body ?? "", sent?.headers ?? {}), /too old/i)
    }).pipe(Effect.provide(Spec.layer())))
})
