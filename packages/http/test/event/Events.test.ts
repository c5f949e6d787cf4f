import { assert, describe, it } from "@effect/vitest"
import { WebhookTransport } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Duration, Effect, Layer, Option, Ref } from "effect"
import { WebHandler } from "../../src/index.ts"
import * as Fixture from "../Fixture.ts"

const setWebhook = Fixture.send("/v1/webhook", { method: "PUT", body: { url: "https://hooks.example.com/" } })

describe("/v1/events", () => {
  it.effect("returns an event byte for byte as it is delivered", () =>
    Effect.gen(function*() {
      yield* setWebhook
      yield* Fixture.send("/v1/calls", { body: yield* Fixture.startCall({ test: true }) })
      yield* TestEngine.drain
      const [sent] = yield* Ref.get(yield* WebhookTransport.Sent)
      const { body: { data: [event] } } = yield* Fixture.send("/v1/events")
      const handler = yield* WebHandler
      const headers = { "x-api-key": yield* Fixture.Everything }
      const response = yield* Effect.promise(() =>
        handler(new Request(`https://api.test/v1/events/${event.id}`, { headers }))
      )
      assert.strictEqual(yield* Effect.promise(() => response.text()), sent?.body)
      assert.strictEqual(JSON.stringify(event), sent?.body)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("is there without a webhook too", () =>
    Effect.gen(function*() {
      yield* Fixture.send("/v1/calls", { body: yield* Fixture.startCall({ phone_number: "+14155550105" }) })
      yield* TestEngine.advance("10 minutes")
      const { body } = yield* Fixture.send("/v1/events?type=call.not_connected")
      assert.deepStrictEqual(body["data"].map(({ data }: Fixture.Received["body"]) => data.status), ["busy"])
      assert.deepStrictEqual((yield* Fixture.send("/v1/webhook/deliveries")).body["data"], [])
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("/v1/webhook/deliveries", () => {
  /** Refuses the first attempt, then is away, then takes it. */
  const transport = Layer.effect(
    WebhookTransport.WebhookTransport,
    Effect.map(Ref.make(0), (sends) => ({
      refuses: () => Option.none(),
      send: () =>
        Effect.flatMap(Ref.updateAndGet(sends, (n) => n + 1), (n) =>
          n === 2
            ? Effect.fail(new WebhookTransport.TransportFailed({ errorCode: "timeout", cause: undefined }))
            : Effect.succeed({ statusCode: n === 1 ? 500 : 204, retryAfter: Option.none<Duration.Duration>() }))
    }))
  )

  it.effect("lists every attempt, and when the next one is due", () =>
    Effect.gen(function*() {
      yield* setWebhook
      yield* Fixture.send("/v1/calls", { body: yield* Fixture.startCall({ test: true }) })
      yield* TestEngine.drain
      const { body: { data: [pending] } } = yield* Fixture.send("/v1/webhook/deliveries?state=pending")
      assert.deepStrictEqual(pending.attempts, [
        {
          attempt: 1,
          cause: "schedule",
          status_code: 500,
          error_code: "http_error",
          duration_ms: 0,
          created_at: "1970-01-01T00:00:00.000Z"
        }
      ])
      const { body: { data: some } } = yield* Fixture.send("/v1/webhook/deliveries?state=delivered&state=pending")
      assert.deepStrictEqual(some, [pending])
      const { body: { data: others } } = yield* Fixture.send("/v1/webhook/deliveries?state=delivered&state=held")
      assert.deepStrictEqual(others, [])
      assert.match(pending.next_attempt_at, /^1970-01-01T00:00:0[456]/)
      yield* TestEngine.advance("1 hour")
      const { body: delivered } = yield* Fixture.send(`/v1/webhook/deliveries/${pending.id}`)
      const { attempts, next_attempt_at, state } = delivered
      assert.deepStrictEqual([state, next_attempt_at], ["delivered", undefined])
      assert.deepStrictEqual(
        attempts.map(({ attempt, error_code, status_code }: Fixture.Received["body"]) => [
          attempt,
          status_code,
          error_code
        ]),
        [[1, 500, "http_error"], [2, undefined, "timeout"], [3, 204, undefined]]
      )
    }).pipe(Effect.provide(Fixture.layer({ transport }))))

  it.effect("refuses to recover a window that ends before it begins", () =>
    Effect.gen(function*() {
      yield* setWebhook
      const window = { since: "2026-02-01T00:00:00Z", until: "2026-01-01T00:00:00Z" }
      const { body, status } = yield* Fixture.send("/v1/webhook/recover", { body: window })
      assert.deepStrictEqual([status, body.error.code, body.error.errors?.[0]?.param ?? body.error.param], [
        400,
        "invalid_request",
        "/until"
      ])
    }).pipe(Effect.provide(Fixture.layer({ transport }))))
})
