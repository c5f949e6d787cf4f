/** Work that is claimed in the transaction that creates it, so that the process that wrote it need not search for it. */
import type { ClaimToken } from "../domain/Ids.ts"
import type { ClaimedDelivery } from "../domain/Delivery.ts"

/** Claims outcomes together with the ends of their calls. */
export interface OutcomeClaim {
  readonly token: ClaimToken
  /** At most this many. The others wait for `OutcomeStore.claim`. */
  readonly limit: number
}

/**
 * Claims deliveries together with their events, as `DeliveryStore.claim` would right afterwards: only those to the endpoint, and only
 * when nothing else is due to it and it is healthy.
 */
export interface DeliverySender {
  readonly token: ClaimToken
  readonly limit: number
  /** As in `ClaimDeliveriesOptions`. */
  readonly ahead?: number
}

/** The written deliveries. */
export interface ClaimedOnWrite {
  /** Claimed for the sender. */
  readonly deliveries: ReadonlyArray<ClaimedDelivery>
  /** Whether others are still to be claimed. */
  readonly isMore: boolean
}
