/**
 * Where calls that have just completed are handed to those who make their outcomes in the same process, so that nobody has to
 * look for them. Where nobody takes them, or has no place for them, they are left to be claimed.
 */
import { Context, Effect, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { ClaimedCall, OutcomeClaim } from "../ports/Storage.ts"

/** Who makes outcomes. */
export interface Taker {
  /**
   * Runs what would claim up to `wanted` outcomes of the account, as far as there are places for them, and has made what it has
   * claimed; does not wait for that.
   */
  readonly claiming: <A extends { readonly completed: ReadonlyArray<ClaimedCall> }, E>(
    accountId: AccountId,
    wanted: number,
    claim: (outcomes: OutcomeClaim | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

export class OutcomeTaker extends Context.Service<OutcomeTaker, {
  /** Nobody where no outcomes are made at this moment. */
  readonly current: () => Taker | undefined
  /** Has the taker be the current one while the effect runs. */
  readonly serving: (taker: Taker) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("@outdial/core/engine/OutcomeTaker") {
  static readonly layer = Layer.sync(OutcomeTaker, () => {
    let current: Taker | undefined
    const set = (taker: Taker | undefined) => Effect.sync(() => void (current = taker))
    return OutcomeTaker.of({
      current: () => current,
      serving: (taker) => (effect) => Effect.acquireUseRelease(set(taker), () => effect, () => set(undefined))
    })
  })
}
