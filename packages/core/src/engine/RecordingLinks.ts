/**
 * Temporary links to recordings, served by the engine's own handler. A link carries its expiry and a signature, so that
 * serving it needs no look-up; whoever has it can listen until it expires.
 */
import { Clock, Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { Mac } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { type CallRecord, type RecordingLink, showsRecording } from "../domain/Call.ts"
import { NotFound, Unavailable } from "../domain/Errors.ts"
import { AccountId, CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { type Recording, Recordings } from "../ports/Recordings.ts"

export interface RecordingLinkOptions {
  /** The service's root as its users reach it, without a slash at the end. */
  readonly publicUrl: string
  /** Signs links; every node of a deployment has the same one. */
  readonly signingKey: Redacted.Redacted
}

/** What a link carries, as its query parameters. */
export interface LinkClaims {
  readonly account: string
  /** Unix seconds. */
  readonly expires: number
  readonly signature: string
}

export class RecordingLinks extends Context.Service<RecordingLinks, {
  /** A fresh link, when the call has a recording to show. */
  readonly make: (call: CallRecord) => Effect.Effect<Option.Option<RecordingLink>>
  /** The recording behind a link; `NotFound` when the link has expired or was not made here. */
  readonly open: (callId: CallId, claims: LinkClaims) => Effect.Effect<Recording, NotFound | Unavailable>
}>()("@outdial/core/engine/RecordingLinks") {
  static readonly layer = (options: RecordingLinkOptions) =>
    Layer.effect(
      RecordingLinks,
      Effect.gen(function*() {
        const mac = yield* Mac.Mac
        const recordings = yield* Recordings
        const utf8 = new TextEncoder()
        const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, utf8.encode(Redacted.value(options.signingKey))))
        const content = (account: string, callId: string, expires: number) =>
          utf8.encode(`recording.${account}.${callId}.${expires}`)
        return RecordingLinks.of({
          make: Effect.fn("RecordingLinks.make")(function*(call) {
            if (!showsRecording(call)) return Option.none()
            const expiresAt = DateTime.addDuration(yield* DateTime.now, Limits.recordingLinkTtl)
            const expires = Math.floor(expiresAt.epochMilliseconds / 1000)
            const tag = yield* Effect.orDie(mac.sign(key, content(call.accountId, call.id, expires)))
            const query = new URLSearchParams({
              account: call.accountId,
              expires: String(expires),
              signature: Base64Url.encode(tag)
            })
            return Option.some({
              url: `${options.publicUrl}/v1/calls/${call.id}/recording?${query.toString()}`,
              expiresAt: DateTime.makeUnsafe(expires * 1000)
            })
          }),
          open: Effect.fn("RecordingLinks.open")(function*(callId, { account, expires, signature }) {
            const notFound = new NotFound({ what: "recording behind this link; fetch the call again for a fresh one" })
            const now = yield* Clock.currentTimeMillis
            const tag = Option.getSuccess(Base64Url.decode(signature))
            if (Option.isNone(tag) || expires * 1000 <= now) return yield* notFound
            const genuine = yield* Effect.orDie(mac.verify(key, tag.value, content(account, callId, expires)))
            if (!genuine) return yield* notFound
            const recording = yield* recordings.get({ accountId: AccountId.make(account), callId }).pipe(
              Effect.mapError((cause) => new Unavailable({ cause }))
            )
            return Option.isSome(recording) ? recording.value : yield* notFound
          })
        })
      })
    )
}
