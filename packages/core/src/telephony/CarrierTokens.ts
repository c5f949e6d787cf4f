/**
 * Tokens that a carrier returns with its callbacks and sockets: they name a call and prove that this deployment has placed it. Each is an
 * HMAC over account, call, purpose and expiry under a key derived from the secret key, so that nothing is stored and any process can check
 * it. It can be replayed until it expires; whatever it opens must be harmless when repeated.
 */
import { Clock, Context, DateTime, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { AccountId, CallId } from "../domain/Ids.ts"
import { SecretBox } from "../secret/SecretBox.ts"

/** The call that a token names. */
export interface TokenCall {
  readonly accountId: AccountId
  readonly callId: CallId
}

export interface TokenClaims extends TokenCall {
  /** What the token is for, such as a route: it opens nothing else. */
  readonly purpose: string
  /** Rounded up to seconds. */
  readonly expiresAt: DateTime.Utc
}

export class CarrierTokens extends Context.Service<CarrierTokens, {
  /** The token, in characters that need no escaping in URLs, XML and JSON. The same claims make the same token. */
  readonly make: (claims: TokenClaims) => Effect.Effect<string>
  /** The call of a genuine token for this purpose that has not expired. */
  readonly check: (token: string, purpose: string) => Effect.Effect<Option.Option<TokenCall>>
}>()("@outdial/core/telephony/CarrierTokens") {
  /** Under `signingKey`, if it is given, in place of a key derived from the secret keys. Every process needs the same one. */
  static readonly layer = (
    { signingKey }: { readonly signingKey?: Redacted.Redacted | undefined } = {}
  ): Layer.Layer<CarrierTokens, never, Mac.Mac | SecretBox | SecureRandom.SecureRandom> =>
    Layer.effect(
      CarrierTokens,
      Effect.gen(function*() {
        const mac = yield* Mac.Mac
        const keys = yield* keysOf(signingKey)
        const signed = (purpose: string, named: string) => utf8.encode(`carrier token.${purpose}.${named}`)
        return CarrierTokens.of({
          make: Effect.fnUntraced(function*({ accountId, callId, expiresAt, purpose }) {
            const expires = Math.ceil(expiresAt.epochMilliseconds / 1000).toString(36)
            const named = `${accountId}.${callId}.${expires}`
            return `${named}.${Base64Url.encode(yield* Effect.orDie(mac.sign(keys[0], signed(purpose, named))))}`
          }),
          check: Effect.fnUntraced(function*(token, purpose) {
            if (token.length > longestToken) return Option.none()
            const [accountId = "", callId = "", expires = "", signature = "", ...more] = token.split(".")
            const tag = Base64Url.decode(signature)
            // Decoders ignore the last bits and padding: only one spelling is genuine.
            if (more.length > 0 || Result.isFailure(tag) || Base64Url.encode(tag.success) !== signature) {
              return Option.none()
            }
            const content = signed(purpose, `${accountId}.${callId}.${expires}`)
            let isGenuine = false
            for (const key of keys) {
              isGenuine = (yield* Effect.orDie(mac.verify(key, tag.success, content))) || isGenuine
            }
            if (!isGenuine || Number.parseInt(expires, 36) * 1000 <= (yield* Clock.currentTimeMillis)) {
              return Option.none()
            }
            const call = { accountId, callId }
            return isCall(call) ? Option.some(call) : Option.none()
          })
        })
      })
    )
}

/** Far longer than two ids and a signature. */
const longestToken = 512

const isCall = Schema.is(Schema.Struct({ accountId: AccountId, callId: CallId }))

const utf8 = new TextEncoder()

/** The keys that verify tokens; the first one signs. */
const keysOf = Effect.fnUntraced(function*(signingKey: Redacted.Redacted | undefined) {
  const keyOf = (bytes: Uint8Array) => Effect.orDie(Mac.key(Mac.hmacSha256, bytes))
  if (signingKey !== undefined) return [yield* keyOf(utf8.encode(Redacted.value(signingKey)))] as const
  const { signingKeys } = yield* SecretBox
  if (signingKeys === undefined) {
    const random = yield* SecureRandom.SecureRandom
    return [yield* keyOf(yield* Effect.orDie(random.randomBytes(32)))] as const
  }
  const [first, ...previous] = yield* signingKeys("carrier tokens")
  return [
    yield* keyOf(Redacted.value(first)),
    ...yield* Effect.forEach(previous, (key) => keyOf(Redacted.value(key)))
  ] as const
})
