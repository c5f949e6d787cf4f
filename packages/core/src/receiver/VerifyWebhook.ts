/**
 * The receiver's side of webhooks: verifies that a delivery is genuine, complete and recent, and returns its event.
 * Needs only Web Crypto, so that it runs on Node, Bun, Deno and workers. The receiver itself must ignore events that it
 * has handled, by `event.id`.
 */
import { unknownNames } from "../domain/NearestName.ts"
import * as SignatureHeaders from "./SignatureHeaders.ts"
import type { WebhookEvent } from "./WebhookEvent.ts"
import { WebhookVerificationError } from "./WebhookVerificationError.ts"

export interface VerifyWebhookOptions {
  /** The body exactly as it arrived, before any parser. */
  readonly body: string | ArrayBufferView | ArrayBufferLike
  /** All headers of the request, as `Headers` or as a plain object. */
  readonly headers: SignatureHeaders.HeadersLike
  /** The secret of the webhook (`whsec_…`), or several during a rotation. */
  readonly secret: string | ReadonlyArray<string>
  /** How many seconds old, or ahead, a delivery may be; finite and not negative. Default: 300. */
  readonly toleranceSeconds?: number
  /** The current time in milliseconds since 1970. Default: this machine's clock. */
  readonly now?: number
}

/** Verifies a delivery and resolves with its event. Rejects with `WebhookVerificationError` when it is not genuine. */
export const verifyWebhook = async (options: VerifyWebhookOptions): Promise<WebhookEvent> => {
  const names: Readonly<Record<keyof VerifyWebhookOptions, true>> = {
    body: true,
    headers: true,
    secret: true,
    toleranceSeconds: true,
    now: true
  }
  const [unknown] = unknownNames(options, names, "option")
  if (unknown !== undefined) {
    throw new WebhookVerificationError("options_invalid", `${unknown.path.join()} ${unknown.message}`)
  }
  const time = timeOf(options)
  const body = bytesOf(options.body)
  const keys = secretsOf(options.secret).map(keysOf)
  if (keys.length === 0) throw new WebhookVerificationError("secret_invalid")
  const claims = SignatureHeaders.read(options.headers)
  for (const claim of claims) {
    for (const key of keys) {
      if (!(await isSignedWith(key[claim.scheme], claim, body))) continue
      checkTime(claim.timestamp, time)
      return eventOf(body)
    }
  }
  throw new WebhookVerificationError("no_signature_matches")
}

const utf8 = new TextEncoder()

/** A copy, so that the verified bytes are the parsed bytes even if other code shares the memory. */
const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === "string") return utf8.encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(new Uint8Array(body.buffer, body.byteOffset, body.byteLength))
  if (isBuffer(body)) return new Uint8Array(new Uint8Array(body))
  throw new WebhookVerificationError("body_was_parsed")
}

/** Compared by name, because a value of another realm is not an instance of ours. */
const isBuffer = (body: unknown): body is ArrayBufferLike =>
  ["[object ArrayBuffer]", "[object SharedArrayBuffer]"].includes(Object.prototype.toString.call(body))

/** Callers without types may pass neither a list nor a secret; `keysOf` refuses such values. */
const secretsOf = (secret: unknown): ReadonlyArray<unknown> => Array.isArray(secret) ? Array.from(secret) : [secret]

/** Bytes of key that Standard Webhooks asks for at least; less is a secret that lost some of its letters. */
const keyBytesLeast = 24

/** The two schemes derive different keys from one secret, so that a signature of one is not valid for the other. */
const keysOf = (secret: unknown) => {
  const encoded = typeof secret === "string" ? /^whsec_(\S+)$/.exec(secret)?.[1] : undefined
  const standard = encoded === undefined ? undefined : SignatureHeaders.base64(encoded)
  if (standard === undefined || standard.length < keyBytesLeast) throw new WebhookVerificationError("secret_invalid")
  return { standard, service: utf8.encode(String(secret)) }
}

const isSignedWith = async (key: Uint8Array, { prefix, signatures }: SignatureHeaders.Claim, body: Uint8Array) => {
  const before = utf8.encode(prefix)
  const content = new Uint8Array(before.length + body.length)
  content.set(before)
  content.set(body, before.length)
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const { subtle } = globalThis.crypto
  const imported = await subtle.importKey("raw", new Uint8Array(key), hmac, false, ["sign"])
  const expected = new Uint8Array(await subtle.sign("HMAC", imported, content))
  return signatures.some((signature) => areEqual(expected, signature))
}

/** In constant time, wherever they differ. */
const areEqual = (expected: Uint8Array, given: Uint8Array) => {
  if (expected.length !== given.length) return false
  let difference = 0
  for (let index = 0; index < expected.length; index++) difference |= (expected[index] ?? 0) ^ (given[index] ?? 0)
  return difference === 0
}

interface Time {
  readonly seconds: number
  readonly tolerance: number
}

// oxlint-disable-next-line no-restricted-globals -- receivers have no clock service; tests give `now`.
const timeOf = ({ now = Date.now(), toleranceSeconds = 300 }: VerifyWebhookOptions): Time => {
  // With NaN, every timestamp would count as recent.
  const areGood = [now, toleranceSeconds].every((value) => Number.isFinite(value) && value >= 0)
  if (!areGood) throw new WebhookVerificationError("options_invalid")
  return { seconds: now / 1000, tolerance: toleranceSeconds }
}

const checkTime = (timestamp: number, { seconds, tolerance }: Time) => {
  const age = seconds - timestamp
  if (!(age <= tolerance)) throw new WebhookVerificationError("timestamp_too_old")
  if (!(-age <= tolerance)) throw new WebhookVerificationError("timestamp_in_future")
}

const eventOf = (body: Uint8Array): WebhookEvent => {
  const event = parsed(body)
  if (typeof event !== "object" || event === null) throw new WebhookVerificationError("not_an_event")
  if (!("id" in event && typeof event.id === "string" && "type" in event && typeof event.type === "string")) {
    throw new WebhookVerificationError("not_an_event")
  }
  // Signed by the sender, whose API only grows: the types hold for the known fields.
  return event as WebhookEvent
}

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    throw new WebhookVerificationError("not_an_event")
  }
}
