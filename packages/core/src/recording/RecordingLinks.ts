/**
 * Temporary links to recordings, served by the engine's own handler. A link contains its expiry and a signature, so
 * that serving it needs no look-up. Anyone with the link can listen until it expires.
 */
import { Clock, Context, DateTime, Effect, Layer, Option, Redacted, Result } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { type CallRecord, type RecordingLink, showsRecording } from "../domain/Call.ts"
import { NotFound, Unavailable } from "../domain/Errors.ts"
import { AccountId, CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { type Recording, Recordings } from "./Recordings.ts"
import { SecretBox, type SigningKey } from "../secret/SecretBox.ts"

export interface RecordingLinkOptions {
  /** The service's root as its users reach it, without a slash at the end. */
  readonly publicUrl: string
  /**
   * Signs links in place of a key derived from the secret keys; every process of a deployment needs the same one. Only a
   * `SecretBox` without `signingKeys` needs it.
   */
  readonly signingKey?: Redacted.Redacted
}

/** The query parameters of a link. */
export interface LinkClaims {
  readonly account: string
  /** Unix seconds. */
  readonly expires: string
  readonly signature: string
}

/** The path and query of a link, which it has in this spelling only. */
export const addressOf = (callId: CallId, { account, expires, signature }: LinkClaims): string =>
  `/v1/calls/${callId}/recording?${new URLSearchParams({ account, expires, signature }).toString()}`

/** The response to an invalid link. */
export const noRecording = new NotFound({ what: "recording behind this link; fetch the call again for a fresh one" })

export class RecordingLinks extends Context.Service<RecordingLinks, {
  /** A fresh link, when the call has a recording to show. */
  readonly make: (call: CallRecord) => Effect.Effect<Option.Option<RecordingLink>>
  /** The recording of a link; `NotFound` when the link has expired or is not signed by this engine. */
  readonly open: (callId: CallId, claims: LinkClaims) => Effect.Effect<Recording, NotFound | Unavailable>
}>()("@outdial/core/recording/RecordingLinks") {
  static readonly layer = (options: RecordingLinkOptions) =>
    Layer.effect(
      RecordingLinks,
      Effect.gen(function*() {
        const mac = yield* Mac.Mac
        const recordings = yield* Recordings
        const keys = yield* keysOf(options)
        const content = (account: string, callId: string, expires: string) =>
          utf8.encode(`recording.${account}.${callId}.${expires}`)
        /** Whether one of the keys made the signature, in canonical spelling. */
        const isGenuine = Effect.fnUntraced(function*(signature: string, signed: Uint8Array) {
          const tag = Base64Url.decode(signature)
          // The last character has bits that decoders ignore, and padding may follow it.
          if (Result.isFailure(tag) || Base64Url.encode(tag.success) !== signature) return false
          for (const key of keys) {
            if (yield* Effect.orDie(mac.verify(key, tag.success, signed))) return true
          }
          return false
        })
        return RecordingLinks.of({
          make: Effect.fn("RecordingLinks.make")(function*(call) {
            if (!showsRecording(call)) return Option.none()
            const expiresAt = DateTime.addDuration(yield* DateTime.now, Limits.recordingLinkTtl)
            const expires = Math.floor(expiresAt.epochMilliseconds / 1000)
            const signed = content(call.accountId, call.id, String(expires))
            const signature = Base64Url.encode(yield* Effect.orDie(mac.sign(keys[0], signed)))
            const claims = { account: call.accountId, expires: String(expires), signature }
            return Option.some({
              url: options.publicUrl + addressOf(call.id, claims),
              expiresAt: DateTime.makeUnsafe(expires * 1000)
            })
          }),
          open: Effect.fn("RecordingLinks.open")(function*(callId, { account, expires, signature }) {
            const now = yield* Clock.currentTimeMillis
            if (Number(expires) * 1000 <= now) return yield* noRecording
            if (!(yield* isGenuine(signature, content(account, callId, expires)))) return yield* noRecording
            const recording = yield* recordings.get({ accountId: AccountId.make(account), callId }).pipe(
              Effect.mapError((cause) => new Unavailable({ cause }))
            )
            return Option.isSome(recording) ? recording.value : yield* noRecording
          })
        })
      })
    )
}

const utf8 = new TextEncoder()

/** The keys that verify links; the first one signs. */
const keysOf = Effect.fnUntraced(function*({ signingKey }: RecordingLinkOptions) {
  if (signingKey !== undefined) return [yield* keyOf(utf8.encode(Redacted.value(signingKey)))] as const
  const { signingKeys } = yield* SecretBox
  if (signingKeys === undefined) {
    yield* Effect.logWarning(
      "Links to recordings are signed with a key that ends with this process, and other processes reject them. Give " +
        "signingKey, or a secretBox that has signingKeys"
    )
    const random = yield* SecureRandom.SecureRandom
    return [yield* keyOf(yield* Effect.orDie(random.randomBytes(32)))] as const
  }
  const [first, ...previous] = yield* signingKeys("recording links")
  const derived = (key: SigningKey) => keyOf(Redacted.value(key))
  return [yield* derived(first), ...yield* Effect.forEach(previous, derived)] as const
})

const keyOf = (bytes: Uint8Array) => Effect.orDie(Mac.key(Mac.hmacSha256, bytes))
