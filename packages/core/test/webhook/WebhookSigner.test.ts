import { assert, it } from "@effect/vitest"
import { WebCrypto, WebhookEndpoint, WebhookSigner } from "@outdial/core"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook as StandardWebhook } from "standardwebhooks"
import Stripe from "stripe"
import { Webhook as SvixWebhook } from "svix"
import { describe } from "vitest"

const layer = WebhookSigner.WebhookSigner.layer.pipe(Layer.provideMerge(WebCrypto.layerWebCrypto))

// A published vector: secret, id, time and body with the signatures that independent code makes of them.
const vector = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU",
  id: "evt_01K5N3Z8Q4VXW2M7T9R6HBCDEF",
  timestamp: 1_767_225_600,
  body:
    `{"id":"evt_01K5N3Z8Q4VXW2M7T9R6HBCDEF","object":"event","type":"call.completed","timestamp":"2026-01-01T00:00:00.000Z","api_version":"v1","test":false,"data":{"id":"call_01K5N3Z7","object":"call","status":"completed"}}`,
  service: "t=1767225600,v1=da5a5a16bc155445ff68f5a6273252bee790b720b8fbf60123dfbb30fe5a694b",
  standard: "v1,n4QMaTWHh0wOaCbbpt379ENsOor9GwBPAmQ3IsWsdJQ="
}

const sign = (secrets: ReadonlyArray<string>, body = vector.body) =>
  Effect.gen(function*() {
    const signer = yield* WebhookSigner.WebhookSigner
    return yield* signer.sign(secrets.map((secret) => Redacted.make(secret)), { id: vector.id, body })
  })

describe("WebhookSigner", () => {
  it.effect("signs as independent code does", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(vector.timestamp * 1000)
      assert.deepStrictEqual(yield* sign([vector.secret]), {
        "service-signature": vector.service,
        "webhook-id": vector.id,
        "webhook-timestamp": String(vector.timestamp),
        "webhook-signature": vector.standard
      })
    }).pipe(Effect.provide(layer)))

  it.live("is verified by the libraries that receivers use, with either secret of a rotation", () =>
    Effect.gen(function*() {
      const secrets = [yield* WebhookEndpoint.makeSecret, yield* WebhookEndpoint.makeSecret]
      const body = JSON.stringify({ id: vector.id, text: "grüße \u2028 😀" })
      const headers = yield* sign(secrets, body)
      const stripe = new Stripe("sk_test_unused")
      for (const secret of secrets) {
        assert.deepStrictEqual(new StandardWebhook(secret).verify(body, headers), JSON.parse(body))
        assert.doesNotThrow(() => new SvixWebhook(secret).verify(body, headers))
        assert.deepStrictEqual(
          stripe.webhooks.constructEvent(body, headers["service-signature"] ?? "", secret) as unknown,
          JSON.parse(body)
        )
      }
      const stranger = yield* WebhookEndpoint.makeSecret
      assert.throws(() => new StandardWebhook(stranger).verify(body, headers))
      assert.throws(() => new SvixWebhook(secrets[0] ?? "").verify(`${body} `, headers))
      assert.throws(() => stripe.webhooks.constructEvent(body, headers["service-signature"] ?? "", stranger))
    }).pipe(Effect.provide(layer)))
})
