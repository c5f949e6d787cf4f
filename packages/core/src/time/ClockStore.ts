/** What a storage does when the clock of its only process has been set back. */
import type { DateTime, Effect } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

export interface SettingBack {
  /**
   * The clock was ahead and says `now` from here on. Writes all instants of the account that lie further ahead than a right clock
   * could have written them again, by `ClockSetBack`: claims, leases, retries, breakers, request windows, closed lanes and what
   * blocks the account. Safe to repeat; changes no status and writes no event. Called before anything is claimed at `now`.
   */
  readonly clockSetBack: (
    options: { readonly accountId: AccountId; readonly now: DateTime.Utc }
  ) => Effect.Effect<void, StorageError>
}
