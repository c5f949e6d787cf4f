/** Port: sealed secrets of all accounts, for operators who rotate the secret key. */
import { Context, type Effect, type Option } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { StorageError } from "../storage/StorageError.ts"

export interface SealedErasureKey {
  readonly accountId: AccountId
  readonly key: SealedSecret
}

export class SecretStore extends Context.Service<SecretStore, {
  /** Endpoints of all accounts with a secret under any other key, by account id, after `after`. */
  readonly listWebhooksNotUnder: (options: {
    readonly keyIds: ReadonlyArray<string>
    readonly after: Option.Option<AccountId>
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StorageError>
  /** Writes the same secrets under another key if the stored ones are still those of `from`; returns whether they were. */
  readonly replaceWebhookSecrets: (options: {
    readonly from: WebhookEndpoint
    readonly secret: SealedSecret
    readonly previousSecrets: WebhookEndpoint["previousSecrets"]
  }) => Effect.Effect<boolean, StorageError>
  /** Stores the account's erasure key unless it has one; returns the stored key. */
  readonly keepErasureKey: (sealed: SealedErasureKey) => Effect.Effect<SealedSecret, StorageError>
  /** Erasure keys of all accounts that are sealed under any other key, by account id, after `after`. */
  readonly listErasureKeysNotUnder: (options: {
    readonly keyIds: ReadonlyArray<string>
    readonly after: Option.Option<AccountId>
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<SealedErasureKey>, StorageError>
  /** Replaces the key if it is still this one; returns whether it was. */
  readonly replaceErasureKey: (
    options: SealedErasureKey & { readonly by: SealedSecret }
  ) => Effect.Effect<boolean, StorageError>
}>()("@outdial/core/secret/SecretStore") {}
