/** Port: accounts, and the pause switch of the whole deployment. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Account } from "../domain/Account.ts"
import type { AccountId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** When an account or the deployment is changed, for the periods in which it held calls. Default: the clock's time. */
export interface ChangedAt {
  readonly now?: DateTime.Utc
}

/** The settings that apply to all accounts. */
export interface Deployment {
  readonly paused: boolean
}

export class AccountStore extends Context.Service<AccountStore, {
  /** Adds the account. One with its id is replaced, or with `keep` returned unchanged. Every write raises epoch and plan version. */
  readonly put: (
    account: Omit<Account, "epoch" | "planVersion">,
    options?: ChangedAt & { readonly ifExists?: "keep" | "replace" }
  ) => Effect.Effect<Account, StorageError>
  /**
   * Changes the given fields only, safe beside concurrent updates. Raises the epoch, and with a policy the plan version. After it
   * returns, nothing is submitted that was claimed before.
   */
  readonly update: (
    id: AccountId,
    changes: Partial<Pick<Account, "name" | "lines" | "paused" | "policy">>,
    options?: ChangedAt
  ) => Effect.Effect<Option.Option<Account>, StorageError>
  readonly get: (id: AccountId) => Effect.Effect<Option.Option<Account>, StorageError>
  /** Oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Account>, StorageError>
  readonly getDeployment: Effect.Effect<Deployment, StorageError>
  /** After it returns, nothing is submitted while paused. */
  readonly updateDeployment: (deployment: Deployment, options?: ChangedAt) => Effect.Effect<void, StorageError>
}>()("@outdial/core/account/AccountStore") {}
