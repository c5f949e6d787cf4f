/** Port: repairs stored instants when the clock of the storage's only process was set back. */
import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

export class ClockStore extends Context.Service<ClockStore, {
  /**
   * The clock was ahead and shows `now` from here on. Rewrites all instants of the account that are later than a correct clock could have
   * written them, by `ClockSetBack`: claims, leases, retries, breakers, request windows, closed lanes and blocks of the account. Safe to
   * repeat; changes no status and writes no event. Called before anything is claimed at `now`.
   */
  readonly setBack: (
    options: { readonly accountId: AccountId; readonly now: DateTime.Utc }
  ) => Effect.Effect<void, StorageError>
}>()("@outdial/core/time/ClockStore") {}
