/** Port: usage by day, counted from calls while they are stored and kept as totals after they are deleted. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { DayUsage } from "../domain/Usage.ts"
import type { LocalDay } from "../rules/time/LocalDays.ts"
import type { StorageError } from "../storage/StorageError.ts"

export class UsageStore extends Context.Service<UsageStore, {
  /** Usage on each of the days, in their order. A call counts on the day on which it was dialed. */
  readonly read: (options: {
    readonly accountId: AccountId
    readonly days: ReadonlyArray<LocalDay>
  }) => Effect.Effect<ReadonlyArray<DayUsage>, StorageError>
  /** The first dial that is not part of a folded day. */
  readonly oldestUnfolded: (accountId: AccountId) => Effect.Effect<Option.Option<DateTime.Utc>, StorageError>
  /**
   * Adds usage before the end of the day that was not folded yet to the day's totals, so that its calls may be deleted. The day must
   * be over and its calls ended. Safe to repeat, and from several nodes.
   */
  readonly fold: (options: {
    readonly accountId: AccountId
    readonly day: LocalDay
  }) => Effect.Effect<void, StorageError>
}>()("@outdial/core/account/UsageStore") {}
