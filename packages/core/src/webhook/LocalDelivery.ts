/**
 * Where deliveries are handed to those who send them in the same process, by whoever writes their events, so that nobody has to
 * look for them. Where nobody sends, they are left to be claimed.
 */
import { Context, Effect, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import * as ActiveService from "../loop/ActiveService.ts"
import type { ClaimedOnWrite, DeliverySender } from "../storage/ClaimOnWrite.ts"

/** Who sends deliveries. */
export interface LocalSender {
  /** Writes events of the account with what its sender has places for, and has sent what storage hands over; does not wait. */
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
