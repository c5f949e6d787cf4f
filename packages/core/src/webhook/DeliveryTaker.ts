/**
 * Where deliveries are handed to those who send them in the same process, by whoever writes their events, so that nobody has to
 * look for them. Where nobody sends, they are left to be claimed.
 */
import { Context, Effect, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import * as Serving from "../loop/Serving.ts"
import type { DeliverySender, HandedOver } from "../storage/ClaimOnWrite.ts"

/** Who sends deliveries. */
export interface Taker {
  /** Writes events of the account with what its sender has places for, and has sent what storage hands over; does not wait. */
  readonly handOver: <A extends HandedOver, E>(
    accountId: AccountId,
    write: (sender: DeliverySender | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

export class DeliveryTaker extends Context.Service<DeliveryTaker, Taker & Pick<Serving.Serving<Taker>, "serving">>()(
  "@outdial/core/webhook/DeliveryTaker"
) {
  static readonly layer = Layer.sync(DeliveryTaker, () => {
    const { current, serving } = Serving.make<Taker>()
    return DeliveryTaker.of({
      serving,
      handOver: (accountId, write) => Effect.suspend(() => current()?.handOver(accountId, write) ?? write(undefined))
    })
  })
}
