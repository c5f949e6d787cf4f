/**
 * What could not even be sent, by a fault on our side: how long until it is tried again, and whether that is worth a line in
 * the log. Forgets with the process, after which it begins anew.
 */
import { Duration } from "effect"
import type { DeliveryId } from "../domain/Ids.ts"
import type { TransportFailed } from "./WebhookTransport.ts"

type ErrorCode = TransportFailed["errorCode"]

export interface SigningBackoff {
  /** Notes what came of an attempt; for one that was not sent, what is to be done. */
  readonly record: (
    id: DeliveryId,
    errorCode: string | undefined
  ) => { readonly delay: Duration.Duration; readonly isLogged: boolean } | undefined
}

const codes: ReadonlySet<string | undefined> = new Set<ErrorCode>(["signing_failed", "sender_exhausted"])

/** About as long as a key service is away, doubling to the longest pause of a breaker. */
const [first, longest] = [Duration.minutes(1), Duration.minutes(15)]

/** Enough to tell their owner what is wrong; a month of them would be thousands of rows. */
const logged = 3

/** Deliveries that are remembered; of more the oldest are forgotten, and tried again somewhat sooner. */
const capacity = 10_000

export const make = (): SigningBackoff => {
  const times = new Map<DeliveryId, number>()
  return {
    record: (id, errorCode) => {
      const before = times.get(id) ?? 0
      times.delete(id)
      if (!codes.has(errorCode)) return undefined
      times.set(id, before + 1)
      const [oldest] = times.keys()
      if (times.size > capacity && oldest !== undefined) times.delete(oldest)
      const delay = Duration.min(Duration.times(first, 2 ** Math.min(before, 10)), longest)
      return { delay, isLogged: before < logged }
    }
  }
}
