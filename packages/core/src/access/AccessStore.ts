/** Port: API keys and rate limits. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { AccountId, ApiKeyId } from "../domain/Ids.ts"
import type * as RequestWindow from "../rules/access/RequestWindow.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** A key and the verdict of its request window. The verdict is absent for an unusable key, whose requests are not counted. */
export interface KeyUse {
  readonly key: ApiKey
  readonly verdict: Option.Option<RequestWindow.Verdict>
}

export class AccessStore extends Context.Service<AccessStore, {
  readonly addApiKey: (key: ApiKey) => Effect.Effect<void, StorageError>
  /**
   * Looks up the key and takes one request from its window, by `RequestWindow.take`, in one round trip. Does not count requests of a
   * key that is expired or revoked at `now`. Records the last use, to the minute.
   */
  readonly admit: (options: {
    readonly hash: string
    readonly now: DateTime.Utc
    readonly limit: number
  }) => Effect.Effect<Option.Option<KeyUse>, StorageError>
  /** Takes one request from the account's window of that name. */
  readonly takeFromWindow: (options: {
    readonly accountId: AccountId
    readonly name: string
    readonly now: DateTime.Utc
    readonly limit: number
  }) => Effect.Effect<RequestWindow.Verdict, StorageError>
  /** Newest first, including revoked keys. */
  readonly listApiKeys: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ApiKey>, StorageError>
  /** Those of the keys that may be used at `now`. Counts no request. */
  readonly usableApiKeys: (options: {
    readonly keys: ReadonlyArray<{ readonly accountId: AccountId; readonly id: ApiKeyId }>
    readonly now: DateTime.Utc
  }) => Effect.Effect<ReadonlySet<ApiKeyId>, StorageError>
  /** Safe to repeat; returns whether the account has such a key. */
  readonly revokeApiKey: (options: {
    readonly accountId: AccountId
    readonly id: ApiKeyId
    readonly now: DateTime.Utc
  }) => Effect.Effect<boolean, StorageError>
}>()("@outdial/core/access/AccessStore") {}
