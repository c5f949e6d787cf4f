/**
 * Where calls that have just completed are handed to those who make their outcomes in the same process, so that nobody has to
 * look for them. Where nobody takes them, or has no place for them, they are left to be claimed.
 */
import { Context, type Effect, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import * as ActiveService from "../loop/ActiveService.ts"
import type { OutcomeClaim } from "../storage/ClaimOnWrite.ts"
import type { ClaimedCall } from "../storage/WorkStore.ts"

/** Who makes outcomes. */
export interface LocalOutcomeWorker {
  /**
   * Runs what would claim up to `wanted` outcomes of the account, as far as there are places for them, and has made what it has
   * claimed; does not wait for that.
   */
  readonly claimOnWrite: <A extends { readonly completed: ReadonlyArray<ClaimedCall> }, E>(
    accountId: AccountId,
    wanted: number,
    claim: (outcomes: OutcomeClaim | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

export class LocalOutcomes extends Context.Service<LocalOutcomes, ActiveService.ActiveService<LocalOutcomeWorker>>()(
  "@outdial/core/outcome/LocalOutcomes"
) {
  static readonly layer = Layer.sync(LocalOutcomes, () => LocalOutcomes.of(ActiveService.make<LocalOutcomeWorker>()))
}
