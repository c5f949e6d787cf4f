/** Ending live calls by hand. */
import type { DateTime, Effect } from "effect"
import type { CallRecord } from "../domain/Call.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { ClaimedCall } from "./DispatchStore.ts"

export type HangUpResult =
  /** It is on record that the call is to end. A call that was not submitted never will be. */
  | ({ readonly _tag: "Requested" } & ClaimedCall)
  /** It waits, or has ended. */
  | { readonly _tag: "NotLive"; readonly call: CallRecord }
  | { readonly _tag: "NotFound" }

export interface HangingUp {
  /** Has a live call ended: from its return on every sign of life is answered with `hang_up`. Safe to repeat. */
  readonly requestHangUp: (options: {
    readonly accountId: AccountId
    readonly id: CallId
    readonly now: DateTime.Utc
  }) => Effect.Effect<HangUpResult, StorageError>
}
