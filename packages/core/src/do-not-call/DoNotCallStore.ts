/** Port: the do-not-call list of each account. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { DoNotCallEntry } from "../domain/DoNotCall.ts"
import type { EventWriter } from "../domain/Event.ts"
import type { AccountId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { StorageError } from "../storage/StorageError.ts"

export interface AddDoNotCallOptions {
  readonly accountId: AccountId
  /** At most `Limits.doNotCallSet` of them. */
  readonly entries: ReadonlyArray<DoNotCallEntry>
  readonly now: DateTime.Utc
  readonly events: EventWriter
}

export interface DoNotCallAdded {
  /** How many numbers were not on the list before. */
  readonly added: number
  /** How many waiting calls were canceled. */
  readonly canceled: number
}

export class DoNotCallStore extends Context.Service<DoNotCallStore, {
  /**
   * Adds numbers to the list and cancels the calls that wait for them. An existing entry stays unchanged. Raises the epoch: after it
   * returns, none of the numbers is submitted.
   */
  readonly add: (options: AddDoNotCallOptions) => Effect.Effect<DoNotCallAdded, StorageError>
  /** Returns whether the number was on the list. */
  readonly remove: (accountId: AccountId, number: PhoneNumber) => Effect.Effect<boolean, StorageError>
  readonly get: (
    accountId: AccountId,
    number: PhoneNumber
  ) => Effect.Effect<Option.Option<DoNotCallEntry>, StorageError>
  /** Newest first by (`createdAt`, `phoneNumber`), without erased numbers. */
  readonly list: (options: {
    readonly accountId: AccountId
    readonly page: PageRequest
  }) => Effect.Effect<Page<DoNotCallEntry>, StorageError>
}>()("@outdial/core/do-not-call/DoNotCallStore") {}
