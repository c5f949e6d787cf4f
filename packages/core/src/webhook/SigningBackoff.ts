/**
 * Delays deliveries that could not be sent because of a fault on our side, and decides whether the attempt is logged.
 * Its state ends with the process.
 */
import { Duration } from "effect"
import type { DeliveryId } from "../domain/Ids.ts"
import type { TransportFailed } from "./WebhookTransport.ts"

type ErrorCode = TransportFailed["errorCode"]

export interface SigningBackoff {
  /** Records an attempt. For one that was not sent, returns the delay and whether to log it. */
  readonly record: (
    id: DeliveryId,
    errorCode: string | undefined
  ) => { readonly delay: Duration.Duration; readonly isLogged: boolean } | undefined
}

const codes: ReadonlySet<string | undefined> = new Set<ErrorCode>(["signing_failed", "sender_exhausted"])

/** About as long as a key service is away, doubling to the longest pause of a breaker. */
const [first, longest] = [Duration.minutes(1), Duration.minutes(15)]

/** Enough to show the owner what is wrong; a month of attempts would be thousands of rows. */
const logged = 3

/** Maximum number of deliveries with a state. Beyond it the oldest are dropped, and retried somewhat earlier. */
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
