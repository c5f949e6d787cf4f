/** Port: the outcomes of completed calls. */
import { Context, type DateTime, type Effect } from "effect"
import type { EventWriter } from "../domain/Event.ts"
import type { AccountId, CallId, ClaimToken } from "../domain/Ids.ts"
import type { OutcomeResult } from "../rules/call/CallLife.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { ClaimedCall, ClaimWorkOptions } from "../storage/WorkStore.ts"

export interface SettleOutcomesOptions {
  readonly accountId: AccountId
  readonly token: ClaimToken
  readonly now: DateTime.Utc
  readonly results: ReadonlyArray<{ readonly callId: CallId; readonly result: OutcomeResult }>
  readonly events: EventWriter
}

export class OutcomeStore extends Context.Service<OutcomeStore, {
  /**
   * Completed calls whose outcome is due, or whose recording has come or is no longer waited for (`awaiting_recording`); leased for
   * `Limits.outcomeLease`.
   */
  readonly claim: (options: ClaimWorkOptions) => Effect.Effect<ReadonlyArray<ClaimedCall>, StorageError>
  /** Writes the results that the token still holds, by `CallLife.outcomeSettled`. An outcome may add its number to the do-not-call list. */
  readonly settle: (options: SettleOutcomesOptions) => Effect.Effect<void, StorageError>
}>()("@outdial/core/outcome/OutcomeStore") {}
