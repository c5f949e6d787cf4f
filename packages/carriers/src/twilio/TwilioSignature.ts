/**
 * The signature of Twilio's requests, `X-Twilio-Signature`: an HMAC over the URL that Twilio was given and the fields of the form. Accepts
 * what Twilio's own library accepts (6.2.0), for URLs that need no escapes in their query; ours need none.
 * https://www.twilio.com/docs/usage/security
 */
import { Effect, Redacted, Result } from "effect"
import { type CryptoError, Mac } from "effect/crypto"
import { Base64 } from "effect/encoding"

export type Field = readonly [name: string, value: string]

export interface SignedRequest {
  /** The whole URL as Twilio was given it, never made from the `Host` header. Of a socket it begins with `wss://`. */
  readonly url: string
  /** The fields of the form in any order; none for GET and for sockets. */
  readonly fields: ReadonlyArray<Field>
}

/** The key of an account's auth token. API keys sign nothing. */
export const makeKey = (authToken: Redacted.Redacted): Effect.Effect<Mac.Key, CryptoError.CryptoError> =>
  Mac.key(Mac.hmacSha1, utf8.encode(Redacted.value(authToken)))

/** What Twilio would send as the signature. */
export const sign = Effect.fnUntraced(function*(key: Mac.Key, { fields, url }: SignedRequest) {
  const mac = yield* Mac.Mac
  return Base64.encode(yield* mac.sign(key, utf8.encode(url + canonical(fields))))
})

/** Whether the signature is Twilio's, compared in constant time. */
export const isValid = Effect.fnUntraced(
  function*(key: Mac.Key, signature: string | undefined, { fields, url }: SignedRequest) {
    const tag = Base64.decode(signature ?? "")
    if (Result.isFailure(tag) || tag.success.length === 0) return false
    const mac = yield* Mac.Mac
    const form = canonical(fields)
    for (const candidate of candidates(url)) {
      if (yield* mac.verify(key, tag.success, utf8.encode(candidate + form))) return true
    }
    return false
  }
)

const utf8 = new TextEncoder()

/** Names in code unit order; the values of a repeated name once each, in order. */
const canonical = (fields: ReadonlyArray<Field>): string => {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of fields) values.set(name, (values.get(name) ?? new Set()).add(value))
  return [...values.keys()].sort().map((name) =>
    [...values.get(name) ?? []].sort().map((value) => name + value).join("")
  ).join("")
}

/** Twilio signs the URL with or without its port, as written or as `new URL` writes it. */
const candidates = (url: string): ReadonlySet<string> =>
  new Set([url, URL.parse(url)?.toString() ?? url].flatMap((one) => [withoutPort(one), withPort(one)]))

const origin = /^([a-z][a-z0-9+.-]*:\/\/)((?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:]*))(:[^/?#]*)?/i

const withoutPort = (url: string): string => url.replace(origin, "$1$2")

/** The library knows `https` alone as a scheme with port 443. */
const withPort = (url: string): string =>
  url.replace(
    origin,
    (_, scheme: string, host: string, port?: string) =>
      scheme + host + (port ?? (scheme.toLowerCase() === "https://" ? ":443" : ":80"))
  )
