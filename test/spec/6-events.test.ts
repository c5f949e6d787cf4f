import { assert, it } from "@effect/vitest"
import { WebhookSigner, WebhookTransport } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Duration, Effect, Layer, Option, Redacted, Ref } from "effect"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

describe("6 Events", () => {
  it.effect("rule 1: every call ends in call.completed or call.not_connected, exactly one", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      const numbers = Array.from({ length: 10 }, (_, n) => `+141555501${n}0`).concat(
        ["05", "06", "07", "08", "09", "19", "29", "39", "49", "59", "69", "79"].map((end) => `+141555502${end}`)
      )
      const ids = yield* Effect.forEach(
        numbers,
        (phone_number) => Effect.map(Spec.start({ phone_number }), ({ id }) => id)
      )
      yield* TestEngine.advance("10 minutes")
      const eventIds = (yield* Spec.events).map(({ data }) => data.id)
      assert.sameMembers(eventIds, ids)
      for (const { data, type } of yield* Spec.events) {
        assert.strictEqual(type, data.status === "completed" ? "call.completed" : "call.not_connected")
      }
    }).pipe(Effect.provide(Spec.layer({ lines: 30 }))))

  it.effect("rule 1: a call that was canceled and one that expired end in call.not_connected too", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      const { id } = yield* Spec.start()
      yield* Spec.start({ phone_number: "+14155550101", expires_at: "1970-01-01T01:00:00Z" })
      yield* Spec.request("POST", `/v1/calls/${id}/cancel`)
      yield* TestEngine.advance("2 hours")
      assert.deepStrictEqual((yield* Spec.events).map(({ data, type }) => [type, data.status]), [
        ["call.not_connected", "canceled"],
        ["call.not_connected", "expired"]
      ])
    }).pipe(Effect.provide(Spec.layer({ lines: 0 }))))

  it.effect("rule 2: the call is under data, as GET answers it", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      const { id } = yield* Spec.start({ phone_number: "+14155550105" })
      yield* TestEngine.advance("1 minute")
      const [event] = yield* Spec.events
      assert.deepStrictEqual(event.data, (yield* Spec.get(`/v1/calls/${id}`)).body)
      assert.strictEqual(event.data.contact.external_id, "crm-7")
      assert.deepInclude(event, { object: "event", type: "call.not_connected", api_version: "v1", test: false })
      assert.match(event.timestamp, /Z$/)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("rule 2: the event of a completed call has its outcome and a link to its recording", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      yield* Spec.start()
      yield* TestEngine.advance("5 minutes")
      const [event] = yield* Spec.events
      assert.strictEqual(event.data.outcome.disposition, "interested")
      const { pathname, search } = new URL(event.data.recording_url)
      assert.strictEqual((yield* Spec.get(pathname + search, { key: null })).status, 200)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("rule 3: an event's id begins with evt_, and is the same on every attempt, as are its bytes", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      yield* Spec.start({ test: true })
      yield* TestEngine.advance("1 hour")
      const sent = yield* Spec.deliveries
      assert.strictEqual(sent.length, 4)
      assert.strictEqual(new Set(sent.map(({ body }) => body)).size, 1)
      assert.deepStrictEqual([...new Set(sent.map(({ headers }) => headers["webhook-id"]))], [
        JSON.parse(sent[0]?.body ?? "").id
      ])
      assert.match(sent[0]?.headers["webhook-id"] ?? "", /^evt_/)
      assert.strictEqual(new Set(sent.map(({ headers }) => headers["webhook-timestamp"])).size, 4)
    }).pipe(Effect.provide(Spec.layer({ transport: unwilling }))))

  it.effect("rule 4: Service-Signature signs the body with the endpoint's secret", () =>
    Effect.gen(function*() {
      const { secret } = yield* Spec.setWebhook()
      yield* Spec.start({ test: true })
      yield* TestEngine.drain
      const [sent] = yield* Spec.deliveries
      const signer = yield* WebhookSigner.WebhookSigner
      const expected = yield* signer.sign([Redacted.make(secret)], {
        id: sent?.headers["webhook-id"] ?? "",
        body: sent?.body ?? ""
      })
      assert.deepInclude(sent?.headers, expected)
      assert.strictEqual(sent?.headers["content-type"], "application/json")
    }).pipe(Effect.provide(WebhookSigner.WebhookSigner.layer.pipe(Layer.provideMerge(Spec.layer())))))

  it.effect("sends only the kinds that the webhook's events name", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook({ events: ["call.not_connected"] })
      yield* Spec.start({ test: true })
      yield* Spec.start({ phone_number: "+14155550105" })
      yield* TestEngine.advance("1 minute")
      assert.deepStrictEqual((yield* Spec.events).map(({ type }) => type), ["call.not_connected"])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("sends opt-in kinds to endpoints that subscribe to them", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook({ events: ["call.dialing", "call.in_progress", "call.completed"] })
      yield* Spec.start()
      yield* TestEngine.advance("5 minutes")
      assert.deepStrictEqual((yield* Spec.events).map(({ type }) => type), [
        "call.dialing",
        "call.in_progress",
        "call.completed"
      ])
    }).pipe(Effect.provide(Spec.layer())))
})

/** Keeps what it is sent and answers 500, with a wish to be left alone for a while. */
const unwilling = Layer.effect(
  WebhookTransport.WebhookTransport,
  Effect.gen(function*() {
    const sent = yield* WebhookTransport.Sent
    return {
      send: (request) =>
        Effect.as(Ref.update(sent, (all) => [...all, request]), {
          statusCode: 500,
          retryAfter: Option.some(Duration.seconds(1))
        }),
      refuses: () => Option.none()
    }
  })
)
