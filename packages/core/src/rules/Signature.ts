/**
 * What the two signatures of a delivery sign, with which key, and how they are written. Both are HMAC-SHA256 with one
 * secret: `Service-Signature` as Stripe's libraries read it, `webhook-*` as Standard Webhooks and Svix do. The HMAC
 * itself is `WebhookSigner`'s.
 */
import { Result } from "effect"
import { Base64, Hex } from "effect/encoding"

/** One delivery, about to be signed. */
export interface Signable {
  readonly id: string
  /** Unix seconds of this attempt. */
  readonly timestamp: number
  readonly body: string
}

const utf8 = new TextEncoder()

/** Key and content of `Service-Signature`: the whole secret as UTF-8, over `timestamp.body`. */
export const serviceInput = (secret: string, { body, timestamp }: Signable) => ({
  key: utf8.encode(secret),
  content: utf8.encode(`${timestamp}.${body}`)
})

/** Key and content of `webhook-signature`: the bytes behind `whsec_`, over `id.timestamp.body`. */
export const standardInput = (secret: string, { body, id, timestamp }: Signable) => ({
  key: Result.getOrThrow(Base64.decode(secret.replace(/^whsec_/, ""))),
  content: utf8.encode(`${id}.${timestamp}.${body}`)
})

/** The headers of a delivery; one signature of each kind per secret, newest secret first. */
export const headers = (
  signable: Signable,
  signatures: ReadonlyArray<{ readonly service: Uint8Array; readonly standard: Uint8Array }>
): Record<string, string> => ({
  "service-signature": [`t=${signable.timestamp}`, ...signatures.map((_) => `v1=${Hex.encode(_.service)}`)].join(","),
  "webhook-id": signable.id,
  "webhook-timestamp": String(signable.timestamp),
  "webhook-signature": signatures.map((_) => `v1,${Base64.encode(_.standard)}`).join(" ")
})
