/** Port: accounts, and the pause switch of the whole deployment. */
import { Context, type Effect, type Option } from "effect"
import type { Account } from "../domain/Account.ts"
import type { AccountId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

export class AccountStore extends Context.Service<AccountStore, {
  /** Adds the account, or overwrites the one with its id. Every write raises epoch and plan version. With `unlessThere` an existing account is returned unchanged. */
  readonly put: (
    account: Omit<Account, "epoch" | "planVersion">,
    options?: { readonly unlessThere: boolean }
  ) => Effect.Effect<Account, StorageError>
  /**
   * Changes the given fields only, safe beside concurrent updates. Raises the epoch, and with a policy the plan version. After it
   * returns, nothing is submitted that was claimed before.
   */
  readonly update: (
    id: AccountId,
    changes: Partial<Pick<Account, "name" | "lines" | "paused" | "policy">>
  ) => Effect.Effect<Option.Option<Account>, StorageError>
  readonly get: (id: AccountId) => Effect.Effect<Option.Option<Account>, StorageError>
  /** Oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Account>, StorageError>
  /** Pauses or resumes calling for all accounts. After it returns, nothing is submitted while paused. */
  readonly pauseDeployment: (paused: boolean) => Effect.Effect<void, StorageError>
  readonly deploymentPaused: Effect.Effect<boolean, StorageError>
}>()("@outdial/core/account/AccountStore") {}
