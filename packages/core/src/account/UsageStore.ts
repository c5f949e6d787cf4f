/** What storage knows of usage: counted from the calls while they are there, and kept by day when they go. */
import type { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { DayUsage } from "../domain/Usage.ts"
import type { LocalDay } from "../rules/time/LocalDays.ts"
import type { StorageError } from "../storage/StorageError.ts"

export interface Counting {
  /** What was used on each of the days, in their order. A call counts on the day on which it was dialed. */
  readonly readUsage: (options: {
    readonly accountId: AccountId
    readonly days: ReadonlyArray<LocalDay>
  }) => Effect.Effect<ReadonlyArray<DayUsage>, StorageError>
  /** The first dial that no day has been folded of. */
  readonly oldestUnfolded: (accountId: AccountId) => Effect.Effect<Option.Option<DateTime.Utc>, StorageError>
  /**
   * Adds what was used before the end of the day, and was not folded before, to what is kept of the day, so that its calls may
   * go. The day must be over and its calls ended. Safe to repeat, and from several nodes.
   */
  readonly foldUsage: (options: {
    readonly accountId: AccountId
    readonly day: LocalDay
  }) => Effect.Effect<void, StorageError>
}
