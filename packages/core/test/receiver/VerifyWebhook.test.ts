import { assert, describe, it } from "@effect/vitest"
import { EventBodies, Ids, WebCrypto, WebhookEndpoint, WebhookSigner } from "@outdial/core"
import {
  verifyWebhook,
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookVerificationError
} from "@outdial/core/webhooks"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

// The vector of `WebhookSigner.test.ts`.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU"
const other = `whsec_${"B".repeat(48)}`
const timestamp = 1_767_225_600
const body =
  `{"id":"evt_01K5N3Z8Q4VXW2M7T9R6HBCDEF","object":"event","type":"call.completed","timestamp":"2026-01-01T00:00:00.000Z","api_version":"v1","test":false,"data":{"id":"call_01K5N3Z7","object":"call","status":"completed"}}`
const service = {
  "service-signature": "t=1767225600,v1=da5a5a16bc155445ff68f5a6273252bee790b720b8fbf60123dfbb30fe5a694b"
}
const standard = {
  "webhook-id": "evt_01K5N3Z8Q4VXW2M7T9R6HBCDEF",
  "webhook-timestamp": "1767225600",
  "webhook-signature": "v1,n4QMaTWHh0wOaCbbpt379ENsOor9GwBPAmQ3IsWsdJQ="
}

const verify = (options: Partial<VerifyWebhookOptions> = {}) =>
  Effect.tryPromise({
    try: () => verifyWebhook({ body, headers: { ...service, ...standard }, secret, now: timestamp * 1000, ...options }),
    // It rejects with nothing else; the tests compare codes, which another error would not have.
    catch: (error) => error as WebhookVerificationError
  })

/** The code of the refusal. */
const refusal = (options: Partial<VerifyWebhookOptions>) => Effect.map(Effect.flip(verify(options)), ({ code }) => code)

describe("verifyWebhook", () => {
  it.effect.each<[string, VerifyWebhookOptions["headers"]]>([["Service-Signature", service], [
    "Standard Webhooks",
    standard
  ], ["both", { ...service, ...standard }]])(
    "gives the event of a delivery with the headers of %s",
    ([, headers]) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* verify({ headers }), JSON.parse(body))
      })
  )

  it.effect("accepts the body as text or bytes, and headers of servers and of fetch", () =>
    Effect.gen(function*() {
      const bytes = new TextEncoder().encode(body)
      const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
      shared.set(bytes)
      const padded = new Uint8Array([0, ...bytes, 0])
      const part = new DataView(padded.buffer, 1, bytes.length)
      for (const raw of [body, bytes, Buffer.from(body), bytes.buffer, part, shared, shared.buffer]) {
        yield* verify({ body: raw })
      }
      const upper = Object.fromEntries(Object.entries(standard).map(([name, value]) => [name.toUpperCase(), [value]]))
      for (const headers of [new Headers(standard), upper, { ...standard, cookie: undefined }]) {
        yield* verify({ headers })
      }
    }))

  it.effect("accepts either secret during a rotation, in the request and at the receiver", () =>
    Effect.gen(function*() {
      yield* verify({ secret: [other, secret] })
      assert.strictEqual(yield* refusal({ secret: other }), "no_signature_matches")
      const forgedFirst = {
        "service-signature": service["service-signature"].replace(",v1=", `,v1=${"0".repeat(64)},v1=`)
      }
      yield* verify({ headers: forgedFirst })
      const withVersions = { ...standard, "webhook-signature": `v1a,AAAA ${standard["webhook-signature"]} v2,x` }
      yield* verify({ headers: withVersions })
    }))

  it.effect("goes by either kind of headers when the other cannot be read or does not match", () =>
    Effect.gen(function*() {
      yield* verify({ headers: { ...standard, "service-signature": "garbled" } })
      yield* verify({ headers: { ...service, ...standard, "webhook-signature": "v1,AAAA" } })
    }))

  it.effect.each<[string, unknown]>([
    ["an object", { id: "evt_1" }],
    ["nothing", undefined],
    ["null", null],
    ["an array", [1]]
  ])("says that the body was parsed when it is %s", ([, parsed]) =>
    Effect.gen(function*() {
      // What a server hands over whose parser ran first; the types forbid it.
      const code = yield* refusal({ body: parsed as string })
      assert.strictEqual(code, "body_was_parsed")
    }))

  it.effect("refuses a body with any change, also JSON that was parsed and written again", () =>
    Effect.gen(function*() {
      const spaced = body.replaceAll(",", ", ")
      for (const changed of [`${body} `, body.replace("completed", "not_connec"), spaced, ""]) {
        assert.strictEqual(yield* refusal({ body: changed }), "no_signature_matches")
      }
      // The signature of the other scheme under the same secret does not pass.
      const crossed = {
        "service-signature": "t=1767225600,v1=9f840c693587870d300e8086a6ddfbf4436c3a8af40670019980d0dc85ac7494"
      }
      assert.strictEqual(yield* refusal({ headers: crossed }), "no_signature_matches")
    }))

  it.effect("allows five minutes both ways, or the given tolerance", () =>
    Effect.gen(function*() {
      const at = (seconds: number) => ({ now: (timestamp + seconds) * 1000 })
      yield* verify(at(300))
      yield* verify(at(-300))
      assert.strictEqual(yield* refusal(at(301)), "timestamp_too_old")
      assert.strictEqual(yield* refusal(at(-301)), "timestamp_in_future")
      yield* verify({ ...at(3600), toleranceSeconds: 3600 })
      assert.strictEqual(yield* refusal({ ...at(2), toleranceSeconds: 1 }), "timestamp_too_old")
      // By the machine's own clock the vector is history.
      const { now: _, ...byClock } = { body, headers: service, secret, now: 0 }
      const error = yield* Effect.flip(Effect.tryPromise(() => verifyWebhook(byClock)))
      assert.deepInclude(error.cause, { code: "timestamp_too_old" })
    }))

  it.effect.each<[string, object]>([
    ["a tolerance of NaN", { toleranceSeconds: Number.NaN }],
    ["a tolerance without end", { toleranceSeconds: Number.POSITIVE_INFINITY }],
    ["a tolerance below 0", { toleranceSeconds: -1 }],
    ["a tolerance that is text", { toleranceSeconds: "5m" }],
    ["a tolerance that is digits", { toleranceSeconds: "300" }],
    ["a tolerance of null", { toleranceSeconds: null }],
    ["a now of NaN", { now: Number.NaN }],
    ["a now that is text", { now: "today" }],
    ["a now that is a Date", { now: new Date(0) }]
  ])("takes no delivery of any age with %s", ([, options]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusal({ now: (timestamp + 1e6) * 1000, ...options }), "options_invalid")
    }))

  it.effect("does not reveal the clock: a forged signature is refused as such, however old", () =>
    Effect.gen(function*() {
      const forged = { "service-signature": `t=1,v1=${"0".repeat(64)}` }
      assert.strictEqual(yield* refusal({ headers: forged }), "no_signature_matches")
    }))

  it.effect("distinguishes missing headers from unreadable ones", () =>
    Effect.gen(function*() {
      const { "webhook-id": _, ...withoutId } = standard
      // Programs without types can pass what the types forbid.
      const untyped: ReadonlyArray<unknown> = [undefined, null, "x", { "service-signature": 1 }, new Map([["t", 1]])]
      for (const headers of [{}, new Headers(), withoutId, { authorization: "x" }, ...untyped]) {
        const code = yield* refusal({ headers: headers as VerifyWebhookOptions["headers"] })
        assert.strictEqual(code, "headers_missing")
      }
      for (
        const header of [
          "",
          "t=1767225600",
          "v1=00",
          "t=soon,v1=00",
          "t=-1,v1=00",
          "t=1767225600,v1=xyz",
          `t=${"9".repeat(13)},v1=00`
        ]
      ) {
        assert.strictEqual(yield* refusal({ headers: { "service-signature": header } }), "headers_invalid", header)
      }
      for (const signature of ["", "v1,", "v1,-_", "n4QM", "v2,n4QM"]) {
        const headers = { ...standard, "webhook-signature": signature }
        assert.strictEqual(yield* refusal({ headers }), "headers_invalid", signature)
      }
    }))

  it.effect.each([
    "",
    "whsec_",
    "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "whsec_MfKQ",
    `${secret}\n`,
    "whsec_not-base64-url_xxxxxxxxxxxxxxxxxxxxx"
  ])(
    "refuses the secret %j, which is none",
    (wrong) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* refusal({ secret: wrong }), "secret_invalid")
        assert.strictEqual(yield* refusal({ secret: [secret, wrong] }), "secret_invalid")
      })
  )

  it.effect("refuses to verify with no secret at all", () =>
    Effect.gen(function*() {
      // oxlint-disable-next-line no-sparse-arrays -- a list may have a hole.
      for (const none of [[], undefined, null, 5, {}, [undefined], [secret, undefined], [, secret]]) {
        const code = yield* refusal({ secret: none as VerifyWebhookOptions["secret"] })
        assert.strictEqual(code, "secret_invalid")
      }
    }))

  it.effect("names no secret and no content in its errors", () =>
    Effect.gen(function*() {
      for (const options of [{ secret: other }, { secret: "whsec_short" }, { now: 0 }, { headers: {} }]) {
        const error = yield* Effect.flip(verify(options))
        assert.notMatch(
          `${error.message}${error.stack?.split("\n")[0]}${JSON.stringify(error)}`,
          /whsec_[A-Za-z0-9]|call_01/
        )
      }
    }))
})

describe("what our own signer signs", () => {
  const signed = Effect.fnUntraced(function*(text: string, ...secrets: ReadonlyArray<string>) {
    const signer = yield* WebhookSigner.WebhookSigner
    const headers = yield* signer.sign(secrets.map((each) => Redacted.make(each)), { id: "evt_1", body: text })
    return { body: text, headers, now: (yield* DateTime.now).epochMilliseconds }
  })

  const provided = Effect.provide(WebhookSigner.WebhookSigner.layer.pipe(Layer.provideMerge(WebCrypto.layerWebCrypto)))

  it.effect("is verified, in both schemes, under every secret of a rotation and any text", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(timestamp * 1000)
      const secrets = [yield* WebhookEndpoint.makeSecret, yield* WebhookEndpoint.makeSecret]
      const text = JSON.stringify({ id: "evt_1", type: "call.completed", data: "grüße \u2028 😀 \u0000" })
      const delivery = yield* signed(text, ...secrets)
      for (const each of secrets) {
        for (const name of ["service-signature", "webhook-signature"]) {
          const { [name]: _, ...headers } = delivery.headers
          assert.deepStrictEqual(yield* verify({ ...delivery, headers, secret: each }), JSON.parse(text))
        }
      }
    }).pipe(provided))

  it.effect("is typed: known kinds narrow, kinds to come pass through", () =>
    Effect.gen(function*() {
      const about = (event: WebhookEvent): string => {
        switch (event.type) {
          case "call.completed":
          case "call.not_connected":
          case "webhook.test":
            return `${event.data.phone_number} ${event.data.contact.external_id ?? ""} ${event.data.created_at}`
          case "batch.completed":
            return `${event.data.accepted_count}`
          case "call.dialing":
          case "call.in_progress":
          case "call.outcome_updated":
            return event.data.status
          default:
            return `ignored ${event.type.toString()}`
        }
      }
      const at = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
      const test = yield* signed(EventBodies.testEventBody(Ids.EventId.make("evt_1"), at), secret)
      assert.strictEqual(about(yield* Effect.orDie(verify(test))), "+14155550100 test 2026-01-01T00:00:00.000Z")
      const unknown = yield* signed(`{"id":"evt_1","type":"agent.promoted","data":[1]}`, secret)
      assert.strictEqual(about(yield* Effect.orDie(verify(unknown))), "ignored agent.promoted")
    }).pipe(provided))

  it.effect.each(["", "null", "[]", "{}", `{"id":1,"type":"x"}`, `{"id":"evt_1"}`, "not json"])(
    "is refused when it is no event: %j",
    (text) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* refusal(yield* signed(text, secret)), "not_an_event")
      }).pipe(provided)
  )
})
