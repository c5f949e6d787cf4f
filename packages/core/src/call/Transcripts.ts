/**
 * Transcripts of calls: as a whole, and as a stream of turns while they are spoken. All streams of a process share one poll of the
 * storage per second. A stream ends when the transcript is final, when the process drains or its engine closes, and when its key is
 * revoked or expires.
 */
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { CallStore } from "./CallStore.ts"
import { NotFound, TooManyStreams, Unavailable } from "../domain/Errors.ts"
import type { AccountId, ApiKeyId, CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { NumberedTurn, Transcript } from "../domain/Transcript.ts"
import { Readiness } from "../observe/Readiness.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import * as TranscriptFollowers from "./TranscriptFollowers.ts"
import type { Follower } from "./TranscriptFollowers.ts"
import * as TranscriptReader from "./TranscriptReader.ts"

export type { Follower, Update } from "./TranscriptFollowers.ts"

export interface FollowOptions {
  /** The sequence number of the last turn that is known; 0 for none. */
  readonly after: number
  /** The key that follows. It may follow `Limits.followedTranscripts` at once, and the stream ends with it. */
  readonly apiKeyId?: ApiKeyId | undefined
  /** The host's user who follows, with the same limit. */
  readonly principal?: string | undefined
}

export class Transcripts extends Context.Service<Transcripts, {
  /** The turns after a sequence number, and whether more can follow. */
  readonly get: (
    accountId: AccountId,
    callId: CallId,
    options: { readonly after: number }
  ) => Effect.Effect<Transcript, NotFound | Unavailable>
  /** Follows the transcript until the scope closes, which frees the place of the key. */
  readonly follow: (
    accountId: AccountId,
    callId: CallId,
    options: FollowOptions
  ) => Effect.Effect<Follower, NotFound | TooManyStreams | Unavailable, Scope.Scope>
}>()("@outdial/core/call/Transcripts") {
  static readonly layer = Layer.effect(
    Transcripts,
    Effect.gen(function*() {
      const calls = yield* CallStore
      const { awaitDraining } = yield* Readiness
      const readNext = yield* TranscriptReader.make
      const followers = yield* TranscriptFollowers.make(readNext)
      yield* Effect.forkScoped(Effect.andThen(awaitDraining, followers.close))

      const existing = Effect.fnUntraced(function*(accountId: AccountId, callId: CallId) {
        const call = yield* orUnavailable(calls.get(accountId, callId))
        if (Option.isNone(call)) return yield* new NotFound({ what: `call ${callId}` })
      })

      return Transcripts.of({
        get: Effect.fn("Transcripts.get")(function*(accountId, callId, { after }) {
          yield* existing(accountId, callId)
          const turns: Array<NumberedTurn> = []
          let read: TranscriptReader.Read = start(accountId, callId)
          do {
            read = yield* orUnavailable(readNext(read.position))
            turns.push(...read.turns.filter(({ sequence }) => sequence > after))
          } while (read.state === "more")
          return { object: "transcript", callId, sealed: read.state === "sealed", turns }
        }),
        follow: Effect.fn("Transcripts.follow")(function*(accountId, callId, { after, apiKeyId, principal }) {
          yield* existing(accountId, callId)
          const { position } = start(accountId, callId)
          const followed = yield* followers.add({
            position,
            known: after,
            apiKeyId,
            place: placeOf(accountId, { apiKeyId, principal })
          })
          switch (followed) {
            case "full":
              return yield* new TooManyStreams({ limit: Limits.followedTranscripts })
            case "closed":
              return yield* new Unavailable({ cause: new Error("The process is about to end") })
            default:
              return followed
          }
        })
      })
    })
  )
}

const start = (accountId: AccountId, callId: CallId): TranscriptReader.Read => ({
  position: { accountId, callId, after: 0, turns: 0 },
  turns: [],
  state: "more"
})

/** Who shares a limit. A host without principals has none, as for requests. */
const placeOf = (accountId: AccountId, { apiKeyId, principal }: Pick<FollowOptions, "apiKeyId" | "principal">) =>
  apiKeyId ?? (principal === undefined ? undefined : `${accountId} ${principal}`)
