/**
 * Removes recordings that calls have lost, and deletes data past its retention: idempotency keys, request windows, and calls and transcripts of accounts with a
 * retention. Works in small sets, and adds the usage of calls to their day before it deletes them.
 */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { Account } from "../domain/Account.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import * as Policy from "../domain/Policy.ts"
import { type RecordingError, Recordings } from "../recording/Recordings.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { dateIn, dayOf } from "../rules/time/LocalDays.ts"
import { cutoffs } from "../rules/privacy/Retention.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { UsageStore } from "../account/UsageStore.ts"
import { PrivacyStore } from "./PrivacyStore.ts"
import * as UnwantedRecordings from "./UnwantedRecordings.ts"
import { StorageError } from "../storage/StorageError.ts"

/** Small sets keep locks short. */
const keysAtOnce = 1000
const callsAtOnce = 200

export class RetentionSweeper extends Context.Service<RetentionSweeper, {
  /** Deletes one set of each kind; returns how many items. */
  readonly sweep: (accountId: AccountId) => Effect.Effect<number, StorageError>
}>()("@outdial/core/privacy/RetentionSweeper") {
  static readonly layer = Layer.effect(
    RetentionSweeper,
    Effect.gen(function*() {
      const accountStore = yield* AccountStore
      const privacyStore = yield* PrivacyStore
      const usageStore = yield* UsageStore
      const recordings = yield* Recordings
      const removeUnwanted = yield* UnwantedRecordings.remover
      const { offset } = yield* TimeZones

      /** Folds every day that is over by then; `false` when the account's zone is not known. */
      const foldUntil = Effect.fnUntraced(function*({ id: accountId, policy = {} }: Account, until: DateTime.Utc) {
        const { timeZone } = Policy.complete(policy)
        while (true) {
          const oldest = yield* usageStore.oldestUnfolded(accountId)
          if (Option.isNone(oldest)) return
          const date = dateIn(timeZone, oldest.value, offset)
          const day = date === undefined ? undefined : dayOf(date, timeZone, offset)
          if (day === undefined) {
            return yield* Effect.logWarning(
              `The calls of ${accountId} are not deleted: its time zone ${timeZone} is unknown`
            )
          }
          if (DateTime.isGreaterThan(day.until, until)) return
          yield* usageStore.fold({ accountId, day })
        }
      })

      /** Files first: once its call is deleted, one that was stored and not yet reported could not be found. */
      const removeRecordings = (accountId: AccountId, callIds: ReadonlyArray<CallId>) =>
        Effect.forEach(callIds, (callId) => recordings.remove({ accountId, callId }), { discard: true }).pipe(
          Effect.mapError(orStorageError)
        )

      const sweepTranscripts = Effect.fnUntraced(function*(accountId: AccountId, before: DateTime.Utc) {
        const callIds = yield* privacyStore.oldTranscripts({ accountId, before, limit: callsAtOnce })
        if (callIds.length === 0) return 0
        yield* removeRecordings(accountId, callIds)
        return yield* privacyStore.deleteTranscripts({ accountId, callIds })
      })

      const sweepCalls = Effect.fnUntraced(function*(account: Account, before: DateTime.Utc) {
        const old = { accountId: account.id, before, limit: callsAtOnce }
        yield* foldUntil(account, before)
        const callIds = yield* privacyStore.oldCalls(old)
        yield* removeRecordings(account.id, callIds)
        return yield* privacyStore.deleteCalls({ ...old, callIds })
      })

      return RetentionSweeper.of({
        sweep: Effect.fn("RetentionSweeper.sweep")(function*(accountId) {
          const account = yield* accountStore.get(accountId)
          if (Option.isNone(account)) return 0
          const now = yield* DateTime.now
          const set = { accountId, limit: keysAtOnce }
          const { calls, transcripts } = cutoffs(account.value, now)
          const went = [
            yield* privacyStore.pruneIdempotencyKeys({
              ...set,
              before: DateTime.subtractDuration(now, Limits.idempotencyRetention)
            }),
            yield* privacyStore.pruneRequestWindows({
              ...set,
              before: DateTime.subtractDuration(now, Limits.requestWindowRetention)
            }),
            transcripts === undefined ? 0 : yield* sweepTranscripts(accountId, transcripts),
            calls === undefined ? 0 : yield* sweepCalls(account.value, calls),
            // Last: a recording may have come after its file was removed.
            yield* removeUnwanted(accountId).pipe(Effect.mapError(orStorageError))
          ]
          return went.reduce((sum, n) => sum + n, 0)
        })
      })
    })
  )
}

const orStorageError = (cause: RecordingError | StorageError) =>
  cause._tag === "StorageError" ? cause : new StorageError({ reason: "unavailable", cause })
