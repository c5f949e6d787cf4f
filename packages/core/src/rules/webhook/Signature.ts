/**
 * What the two signatures of a delivery sign, with which key, and their format. Both are HMAC-SHA256 with one secret:
 * `Service-Signature` as Stripe's libraries read it, `webhook-*` as Standard Webhooks and Svix do. `WebhookSigner`
 * computes the HMAC.
 */
import { Result } from "effect"
import { Base64, Hex } from "effect/encoding"

/** One delivery to sign. */
export interface Signable {
  readonly id: string
  /** Unix seconds of this attempt. */
  readonly timestamp: number
  readonly body: string
}

/** Bytes for `Service-Signature` and for `webhook-signature`. */
export interface Parts {
  readonly service: Uint8Array
  readonly standard: Uint8Array
}

const utf8 = new TextEncoder()

/** The keys of a secret: for `Service-Signature` all of it as UTF-8, for `webhook-signature` the bytes after `whsec_`. */
export const keysOf = (secret: string): Parts => ({
  service: utf8.encode(secret),
  standard: Result.getOrThrow(Base64.decode(secret.replace(/^whsec_/, "")))
})

/** The signed text: for `Service-Signature` `timestamp.body`, for `webhook-signature` `id.timestamp.body`. */
export const contentsOf = ({ body, id, timestamp }: Signable): Parts => {
  const standard = utf8.encode(`${id}.${timestamp}.${body}`)
  // The end of the other signed text, so that the body is encoded once.
  return { service: standard.subarray(utf8.encode(`${id}.`).length), standard }
}

/** The headers of a delivery; one signature of each kind per secret, newest secret first. */
export const headers = (
  signable: Signable,
  signatures: ReadonlyArray<Parts>
): Record<string, string> => ({
  "service-signature": [`t=${signable.timestamp}`, ...signatures.map((_) => `v1=${Hex.encode(_.service)}`)].join(","),
  "webhook-id": signable.id,
  "webhook-timestamp": String(signable.timestamp),
  "webhook-signature": signatures.map((_) => `v1,${Base64.encode(_.standard)}`).join(" ")
})
