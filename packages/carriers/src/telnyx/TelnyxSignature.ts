/**
 * The signature of Telnyx's webhooks, `telnyx-signature-ed25519`: Ed25519 over the time of sending and the body exactly as received.
 * https://developers.telnyx.com/development/api-fundamentals/webhooks/receiving-webhooks
 */
import { DateTime, Effect, Result, Schema } from "effect"
import { CryptoError, Signature } from "effect/crypto"
import { Base64 } from "effect/encoding"

export type PublicKey = Signature.PublicKey<Signature.Ed25519>

export interface SignedWebhook {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** How far the time of sending may be from ours, in seconds; as in Telnyx's own library. */
const tolerance = 300

/** Whether the text is a public key as Telnyx's portal shows it: 32 bytes in base64. */
export const isPublicKey = (text: string): boolean => {
  const bytes = Base64.decode(text)
  return Result.isSuccess(bytes) && bytes.success.length === 32
}

/** The public key as Telnyx's portal shows it. Anything else fails. */
export const makeKey = (text: string): Effect.Effect<PublicKey, CryptoError.CryptoError> =>
  Signature.publicKey(Signature.ed25519, Result.getOrElse(Base64.decode(text), () => new Uint8Array()))

/** Whether the webhook is Telnyx's, and was sent within the last five minutes. */
export const isValid = Effect.fnUntraced(function*(key: PublicKey, { body, headers }: SignedWebhook) {
  const timestamp = headers["telnyx-timestamp"] ?? ""
  const tag = Base64.decode(headers["telnyx-signature-ed25519"] ?? "")
  if (!isSeconds(timestamp) || Result.isFailure(tag)) return false
  const now = yield* DateTime.now
  if (Math.abs(now.epochMilliseconds / 1000 - Number(timestamp)) > tolerance) return false
  const { verify } = yield* Signature.Signature
  return yield* verify(key, tag.success, signedBytes(timestamp, body))
})

const isSeconds = Schema.is(Schema.String.check(Schema.isPattern(/^\d{1,12}$/)))

/** The time, a bar, and the body. */
const signedBytes = (timestamp: string, body: Uint8Array): Uint8Array => {
  const head = utf8.encode(`${timestamp}|`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

const utf8 = new TextEncoder()
