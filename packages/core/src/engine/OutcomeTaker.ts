/**
 * Where calls that have just completed are handed to those who make their outcomes in the same process, so that nobody has to
 * look for them. Where nobody takes them, they are left to be claimed.
 */
import { Context, Effect, Layer } from "effect"
import type { AccountId, ClaimToken } from "../domain/Ids.ts"
import type { ClaimedCall } from "../ports/Storage.ts"

/** Who makes outcomes. */
export interface Taker {
  /** A new one, under which outcomes are claimed for the taker; none while nothing is to be claimed. */
  readonly makeToken: Effect.Effect<ClaimToken | undefined>
  /** Has the outcomes made that are claimed under the token; does not wait for them. */
  readonly take: (
    accountId: AccountId,
    token: ClaimToken,
    completed: ReadonlyArray<ClaimedCall>
  ) => Effect.Effect<void>
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
