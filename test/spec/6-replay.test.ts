import { assert, it } from "@effect/vitest"
import { WebhookTransport } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Option, Ref } from "effect"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

/** Keeps what it is sent, and answers what the test says. */
const transport = (status: Ref.Ref<number>) =>
  Layer.effect(
    WebhookTransport.WebhookTransport,
    Effect.map(WebhookTransport.Sent, (sent) => ({
      send: (request) =>
        Effect.andThen(
          Ref.update(sent, (all) => [...all, request]),
          Effect.map(Ref.get(status), (statusCode) => ({ statusCode, retryAfter: Option.none() }))
        ),
      refuses: () => Option.none()
    }))
  )

const withStatus = <A, E, R>(test: (status: Ref.Ref<number>) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Ref.make(200), (status) => Effect.provide(test(status), Spec.layer({ transport: transport(status) })))

/** A test call; answers the id of its event. */
const event = Effect.map(Spec.start({ test: true }), ({ id }): string => id.replace("call_", "evt_"))

const recover = (body: object) => Spec.post("/v1/webhook/recover", body)

describe("beyond the specification: sending again", () => {
  it.effect("POST /v1/events/{id}/redeliver sends the same bytes again, and says so in the log", () =>
    withStatus(() =>
      Effect.gen(function*() {
        yield* Spec.setWebhook()
        const id = yield* event
        yield* TestEngine.drain
        const { body, status } = yield* Spec.request("POST", `/v1/events/${id}/redeliver`)
        assert.strictEqual(status, 202)
        assert.deepInclude(body, { object: "webhook_delivery", event_id: id, state: "pending" })
        yield* TestEngine.drain
        const sent = yield* Spec.deliveries
        assert.strictEqual(sent.length, 2)
        assert.strictEqual(sent[0]?.body, sent[1]?.body)
        const { body: delivery } = yield* Spec.get(`/v1/webhook/deliveries/${body.id}`)
        assert.strictEqual(delivery.state, "delivered")
        assert.deepStrictEqual(delivery.attempts.map((attempt: { cause: string }) => attempt.cause), [
          "schedule",
          "redeliver"
        ])
      })
    ))

  it.effect("redeliver is 404 for an unknown event or without a webhook, 409 while that is disabled", () =>
    withStatus(() =>
      Effect.gen(function*() {
        const id = yield* event
        const redeliver = (id: string) => Effect.map(Spec.request("POST", `/v1/events/${id}/redeliver`), Spec.refusal)
        assert.deepStrictEqual(yield* redeliver(id), [404, "not_found"])
        yield* Spec.setWebhook({ enabled: false })
        assert.deepStrictEqual(yield* redeliver(id), [409, "webhook_disabled"])
        assert.deepStrictEqual(yield* redeliver("evt_01JNOTTHERE"), [404, "not_found"])
      })
    ))

  it.effect("an event of more than 30 days ago is 410 event_expired", () =>
    withStatus(() =>
      Effect.gen(function*() {
        yield* Spec.setWebhook()
        const id = yield* event
        yield* TestEngine.advance("31 days")
        const refusal = Effect.map(Spec.request("POST", `/v1/events/${id}/redeliver`), Spec.refusal)
        assert.deepStrictEqual(yield* refusal, [410, "event_expired"])
        assert.deepStrictEqual(Spec.refusal(yield* Spec.get(`/v1/events/${id}`)), [410, "event_expired"])
      })
    ))

  it.effect("POST /v1/webhook/recover sends what of a window was not delivered, and nothing else", () =>
    withStatus((status) =>
      Effect.gen(function*() {
        const missed = yield* event
        yield* TestEngine.advance("1 hour")
        yield* Spec.setWebhook()
        const delivered = yield* event
        yield* TestEngine.drain
        yield* Ref.set(status, 410)
        const held = yield* event
        yield* TestEngine.drain
        assert.deepStrictEqual(Spec.refusal(yield* recover({ since: "1970-01-01T00:00:00Z" })), [
          409,
          "webhook_disabled"
        ])
        yield* Ref.set(status, 200)
        yield* Spec.setWebhook()
        const { body, status: answered } = yield* recover({ since: "1970-01-01T00:00:00Z" })
        assert.deepStrictEqual([answered, body], [202, { object: "webhook_recovery", events: 1 }])
        yield* TestEngine.advance("1 minute")
        const ids = (yield* Spec.events).map(({ id }) => id)
        assert.sameMembers(ids, [missed, delivered, held, held])
        const window = { since: "1970-01-01T00:00:00Z", until: "1970-01-01T00:30:00Z" }
        assert.strictEqual((yield* recover(window)).body.events, 0)
      })
    ))

  it.effect("recover reports the problem of a window, and is 404 without a webhook", () =>
    withStatus(() =>
      Effect.gen(function*() {
        const { body, status } = yield* recover({ until: "yesterday" })
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(body.error.errors.map(({ param }: { param: string }) => param), ["/since", "/until"])
        assert.deepStrictEqual(Spec.refusal(yield* recover({ since: "2026-01-01" })), [404, "not_found"])
      })
    ))

  it.effect("the webhook shows why it was disabled, and its deliveries that they are held", () =>
    withStatus((status) =>
      Effect.gen(function*() {
        yield* Spec.setWebhook()
        yield* Ref.set(status, 410)
        yield* event
        yield* TestEngine.drain
        const { body: webhook } = yield* Spec.get("/v1/webhook")
        assert.deepInclude(webhook, {
          enabled: false,
          disabled_reason: "gone",
          disabled_at: "1970-01-01T00:00:00.000Z"
        })
        const { body: held } = yield* Spec.get("/v1/webhook/deliveries?state=held")
        assert.deepStrictEqual(held.data.map(({ state }: { state: string }) => state), ["held"])
        yield* Spec.request("DELETE", "/v1/webhook")
        const { body: dropped } = yield* Spec.get("/v1/webhook/deliveries?state=dropped")
        assert.strictEqual(dropped.data.length, 1)
      })
    ))
})

describe("beyond the specification: the feed", () => {
  it.effect("GET /v1/events/feed gives events oldest first, each once, and a cursor to go on from", () =>
    withStatus(() =>
      Effect.gen(function*() {
        const ids = yield* Effect.forEach([1, 2, 3], () => Effect.tap(event, () => TestEngine.advance("1 second")))
        const { body: first } = yield* Spec.get("/v1/events/feed?limit=2")
        assert.deepStrictEqual([first.data.map(({ id }: { id: string }) => id), first.has_more], [
          ids.slice(0, 2),
          true
        ])
        const { body: second } = yield* Spec.get(`/v1/events/feed?cursor=${first.next_cursor}`)
        assert.deepStrictEqual([second.data.map(({ id }: { id: string }) => id), second.has_more], [
          ids.slice(2),
          false
        ])
        const { body: third } = yield* Spec.get(`/v1/events/feed?cursor=${second.next_cursor}`)
        assert.deepStrictEqual(third, { object: "list", data: [], has_more: false, next_cursor: second.next_cursor })
        const late = yield* event
        const { body: fourth } = yield* Spec.get(`/v1/events/feed?cursor=${third.next_cursor}`)
        assert.deepStrictEqual(fourth.data.map(({ id }: { id: string }) => id), [late])
        const { body: got } = yield* Spec.get(`/v1/events/${late}`)
        assert.deepStrictEqual(fourth.data, [got])
      })
    ))

  it.effect("accepts only its own cursors", () =>
    withStatus(() =>
      Effect.gen(function*() {
        yield* event
        yield* TestEngine.advance("1 second")
        yield* event
        const { body } = yield* Spec.get("/v1/events?limit=1")
        for (const cursor of ["x", body.next_cursor]) {
          const answer = yield* Spec.get(`/v1/events/feed?cursor=${cursor}`)
          assert.deepStrictEqual(Spec.refusal(answer), [400, "invalid_request"])
        }
      })
    ))
})

describe("beyond the specification: batch.completed", () => {
  it.effect("is sent once, behind the end of every call, when it is subscribed", () =>
    withStatus(() =>
      Effect.gen(function*() {
        const { agent_id } = yield* Spec.call()
        yield* Spec.setWebhook({ events: ["call.completed", "call.not_connected", "batch.completed"] })
        const calls = ["+14155550100", "+14155550105"].map((phone_number) => ({
          phone_number,
          variables: { topic: "x" }
        }))
        const { body: batch } = yield* Spec.post("/v1/batches", { agent_id, calls })
        yield* TestEngine.advance("10 minutes")
        const events = yield* Spec.events
        assert.strictEqual(events.length, 3)
        const completed = events.filter(({ type }) => type === "batch.completed")
        assert.strictEqual(completed.length, 1)
        const { calls: _, rejected: __, ...shown } = (yield* Spec.get(`/v1/batches/${batch.id}`)).body
        assert.deepStrictEqual(completed[0].data, shown)
        const { body: deliveries } = yield* Spec.get(`/v1/webhook/deliveries?event_id=${completed[0].id}`)
        assert.strictEqual(deliveries.data[0].batch_id, batch.id)
      })
    ))

  it.effect("is not recorded without a subscription", () =>
    withStatus(() =>
      Effect.gen(function*() {
        const { agent_id } = yield* Spec.call()
        yield* Spec.setWebhook()
        const calls = [{ phone_number: "+14155550100", variables: { topic: "x" } }]
        yield* Spec.post("/v1/batches", { agent_id, calls })
        yield* TestEngine.advance("10 minutes")
        assert.strictEqual((yield* Spec.get("/v1/events?type=batch.completed")).body.data.length, 0)
      })
    ))
})
