/**
 * Lets the process that records the end of a conversation claim its outcome in the same transaction, so that no query
 * has to find the call. Without active outcome work, or without free slots, outcomes are left to be claimed.
 */
import { Context, type Effect, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import * as ActiveService from "../loop/ActiveService.ts"
import type { OutcomeClaim } from "../storage/ClaimOnWrite.ts"
import type { ClaimedCall } from "../storage/WorkStore.ts"

/** The outcome work of this process. */
export interface LocalOutcomeWorker {
  /**
   * Runs an effect that claims up to `wanted` outcomes of the account, within the free slots, and starts to make the
   * outcomes that it claimed. Does not wait for them.
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
