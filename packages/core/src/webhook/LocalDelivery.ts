/**
 * Lets the process that writes an event claim its deliveries in the same transaction, so that no query has to find
 * them. Without an active sender, deliveries are left to be claimed.
 */
import { Context, Effect, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import * as ActiveService from "../loop/ActiveService.ts"
import type { ClaimedOnWrite, DeliverySender } from "../storage/ClaimOnWrite.ts"

/** The sender of this process. */
export interface LocalSender {
  /** Writes events of the account, claims deliveries for its sender's free slots, and starts to send them. Does not wait for them. */
  readonly claimOnWrite: <A extends ClaimedOnWrite, E>(
    accountId: AccountId,
    write: (sender: DeliverySender | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

export class LocalDelivery
  extends Context.Service<LocalDelivery, LocalSender & Pick<ActiveService.ActiveService<LocalSender>, "whileActive">>()(
    "@outdial/core/webhook/LocalDelivery"
  )
{
  static readonly layer = Layer.sync(LocalDelivery, () => {
    const { current, whileActive } = ActiveService.make<LocalSender>()
    return LocalDelivery.of({
      whileActive,
      claimOnWrite: (accountId, write) =>
        Effect.suspend(() => current()?.claimOnWrite(accountId, write) ?? write(undefined))
    })
  })
}
