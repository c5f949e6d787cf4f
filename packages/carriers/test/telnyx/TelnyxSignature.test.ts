import { assert, describe, it } from "@effect/vitest"
import { TelnyxSignature } from "@outdial/carriers/telnyx"
import { Effect, Layer } from "effect"
import { SecureRandom, Signature } from "effect/crypto"
import { TestClock } from "effect/testing"
import { generateKeyPairSync, sign } from "node:crypto"

/** Node's own Ed25519 signs. */
const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const shown = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")
  return { privateKey, shown }
}
const telnyx = pair()

/** An instant of the clock, in seconds. */
const now = 1_790_000_000

const webhook = (body: string | Uint8Array<ArrayBuffer>, timestamp: number | string = now, key = telnyx.privateKey) => {
  const bytes = Buffer.from(body as string)
  const signature = sign(null, Buffer.concat([Buffer.from(`${timestamp}|`), bytes]), key).toString("base64")
  const headers: Record<string, string | undefined> = {
    "telnyx-timestamp": String(timestamp),
    "telnyx-signature-ed25519": signature
  }
  return { body: new Uint8Array(bytes), headers }
}

const isValid = (given: TelnyxSignature.SignedWebhook, shown = telnyx.shown) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now * 1000)
    return yield* TelnyxSignature.isValid(yield* TelnyxSignature.makeKey(shown), given)
  }).pipe(Effect.provide(Signature.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))))

describe("telnyx-signature-ed25519", () => {
  it.effect("is the one that Node makes, over the body exactly as received", () =>
    Effect.gen(function*() {
      const bodies = ["", "{}", "{\"data\": {\"name\":\"ü ß 😀\"}}\n", new Uint8Array([0, 255, 254, 128])]
      for (const body of bodies) {
        const given = webhook(body)
        assert.isTrue(yield* isValid(given))
        assert.isFalse(yield* isValid({ ...given, body: new Uint8Array([...given.body, 32]) }))
      }
    }))

  it.effect("is accepted within five minutes of its sending, and neither before nor after", () =>
    Effect.gen(function*() {
      for (const [offset, accepted] of [[0, true], [-300, true], [300, true], [-301, false], [301, false]] as const) {
        assert.strictEqual(yield* isValid(webhook("{}", now + offset)), accepted, String(offset))
      }
    }))

  it.effect("is refused when it is missing, malformed, of another key or of another time", () =>
    Effect.gen(function*() {
      const { body, headers } = webhook("{}")
      const signature = headers["telnyx-signature-ed25519"] ?? ""
      for (
        const changed of [
          { "telnyx-signature-ed25519": undefined },
          { "telnyx-signature-ed25519": "" },
          { "telnyx-signature-ed25519": "no" },
          { "telnyx-signature-ed25519": "%%%%" },
          { "telnyx-signature-ed25519": signature.slice(0, -8) },
          { "telnyx-signature-ed25519": `${signature}AAAA` },
          { "telnyx-timestamp": undefined },
          { "telnyx-timestamp": "" },
          { "telnyx-timestamp": String(now + 1) },
          { "telnyx-timestamp": `${now}.0` },
          { "telnyx-timestamp": "soon" }
        ]
      ) assert.isFalse(yield* isValid({ body, headers: { ...headers, ...changed } }), JSON.stringify(changed))
      assert.isFalse(yield* isValid(webhook("{}", `${now}.0`)))
      assert.isFalse(yield* isValid({ body, headers }, pair().shown))
    }))

  it.effect("is not checked with anything but a public key", () =>
    Effect.gen(function*() {
      for (const text of ["", "no", "AAAA", telnyx.shown.slice(4), `${telnyx.shown}AAAA`]) {
        assert.isFalse(TelnyxSignature.isPublicKey(text), text)
        yield* Effect.flip(TelnyxSignature.makeKey(text))
      }
      assert.isTrue(TelnyxSignature.isPublicKey(telnyx.shown))
    }))
})
