/** Port: the webhook endpoint of each account. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import type { Rotation, WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { StorageError } from "../storage/StorageError.ts"

export class WebhookStore extends Context.Service<WebhookStore, {
  /**
   * Sets the account's endpoint. The secret is used only for a new endpoint; returns whether it is new. `CircuitBreaker.reset` decides
   * the breaker's new state, and whether held or deferred deliveries become due at once.
   */
  readonly set: (
    endpoint: WebhookEndpoint
  ) => Effect.Effect<{ readonly endpoint: WebhookEndpoint; readonly created: boolean }, StorageError>
  readonly get: (accountId: AccountId) => Effect.Effect<Option.Option<WebhookEndpoint>, StorageError>
  /** Issues a new secret, by `WebhookEndpoint.rotated`; `None` when there is no endpoint. */
  readonly rotateSecret: (options: {
    readonly accountId: AccountId
    readonly secret: SealedSecret
    readonly now: DateTime.Utc
    readonly graceUntil: DateTime.Utc
  }) => Effect.Effect<Option.Option<Rotation>, StorageError>
  /** Drops undelivered deliveries, which stay in the log. Safe to repeat. */
  readonly delete: (accountId: AccountId) => Effect.Effect<void, StorageError>
}>()("@outdial/core/webhook/WebhookStore") {}
