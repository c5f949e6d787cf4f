/** Reads the two kinds of signature headers, which `rules/Signature` writes. */
import { WebhookVerificationError } from "./WebhookVerificationError.ts"

/** Headers as servers have them; the case of names does not matter. */
export type HeadersLike =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** What to verify: one of the signatures must be the HMAC of prefix and body under a key of the secret. */
export interface Claim {
  readonly scheme: "service" | "standard"
  /** Unix seconds of the attempt. */
  readonly timestamp: number
  /** The signed text before the body. */
  readonly prefix: string
  readonly signatures: ReadonlyArray<Uint8Array>
}

/** The claims of a request, one for each kind of signature header that can be read; throws when there is none. */
export const read = (headers: HeadersLike): ReadonlyArray<Claim> => {
  const get = reader(headers)
  const found = [standard(get), service(get)]
  const claims = found.filter((claim) => typeof claim === "object")
  if (claims.length > 0) return claims
  throw new WebhookVerificationError(found.includes("invalid") ? "headers_invalid" : "headers_missing")
}

type Get = (name: string) => string | undefined

const reader = (headers: HeadersLike): Get => {
  // Callers without types may pass nothing, or values that no header has.
  if (typeof headers !== "object" || headers === null) return () => undefined
  if (hasGet(headers)) return (name) => textOf(headers.get(name))
  const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => {
    const value = all.get(name)
    return Array.isArray(value) ? value.join(",") : textOf(value)
  }
}

const textOf = (value: unknown) => typeof value === "string" ? value : undefined

const hasGet = (headers: HeadersLike): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

const standard = (get: Get): Claim | "missing" | "invalid" => {
  const [id, time, signature] = [get("webhook-id"), get("webhook-timestamp"), get("webhook-signature")]
  if (id === undefined || time === undefined || signature === undefined) return "missing"
  // Other versions than v1 are ignored: future versions may add some.
  const signatures = signature.split(" ").filter((part) => part.startsWith("v1,")).map((part) => base64(part.slice(3)))
  return claim({ scheme: "standard", time, prefix: `${id}.${time}.`, signatures })
}

const service = (get: Get): Claim | "missing" | "invalid" => {
  const header = get("service-signature")
  if (header === undefined) return "missing"
  const parts = header.split(",").map((part) => part.trim())
  const time = parts.find((part) => part.startsWith("t="))?.slice(2) ?? ""
  const signatures = parts.filter((part) => part.startsWith("v1=")).map((part) => hex(part.slice(3)))
  return claim({ scheme: "service", time, prefix: `${time}.`, signatures })
}

const claim = ({ time, ...rest }: {
  readonly scheme: Claim["scheme"]
  readonly time: string
  readonly prefix: string
  readonly signatures: ReadonlyArray<Uint8Array | undefined>
}): Claim | "invalid" => {
  const signatures = rest.signatures.filter((signature) => signature !== undefined)
  // Twelve digits of seconds reach farther than any clock.
  if (!/^\d{1,12}$/.test(time) || signatures.length === 0) return "invalid"
  return { ...rest, timestamp: Number(time), signatures }
}

/** The bytes of standard base64, padded or not; `undefined` for anything else. */
export const base64 = (text: string): Uint8Array | undefined => {
  const bare = text.replace(/={0,2}$/, "")
  if (!/^[A-Za-z0-9+/]+$/.test(bare) || bare.length % 4 === 1) return undefined
  return Uint8Array.from(atob(bare), (char) => char.charCodeAt(0))
}

const hex = (text: string): Uint8Array | undefined =>
  /^([0-9a-f]{2})+$/i.test(text) ? Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16)) : undefined
