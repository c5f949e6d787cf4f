/**
 * Every step of a delivery, as a pure function. Memory applies them as they are. SQL writes whole sets in one statement, which restates
 * the part that goes by the row; a test compares each statement with the function on random rows.
 */
import { DateTime } from "effect"
import type { AttemptCause, DeliveryResult, DeliveryState } from "../../domain/Delivery.ts"

/** What the steps go by and change. */
export interface State {
  readonly state: Exclude<DeliveryState, "held">
  /** Attempts that are used up. */
  readonly attempts: number
  readonly cause: AttemptCause
  readonly dueAt: DateTime.Utc
  /** While it is sent: whether its owner has asked meanwhile for it to be sent again. */
  readonly redeliverRequested?: boolean
}

/** Whether it is still to be sent, or being sent. */
export const isOpen = ({ state }: Pick<State, "state">): boolean => state === "pending" || state === "sending"

const unmarked = <D extends State>({ redeliverRequested: _, ...delivery }: D) => delivery

/**
 * A delivery that a sender takes. With `countsLost` a lease that ran out uses up an attempt: a handler may be what ends its process, a
 * receiver cannot.
 */
export const claimed = <D extends State>(
  delivery: D,
  { countsLost, probe }: { readonly countsLost: boolean; readonly probe: boolean }
) => {
  const isLost = delivery.state === "sending" && countsLost
  const scheduled = delivery.cause === "probe" ? "schedule" as const : delivery.cause
  return {
    ...unmarked(delivery),
    state: "sending" as const,
    attempts: delivery.redeliverRequested === true ? 0 : delivery.attempts + (isLost ? 1 : 0),
    cause: probe ? "probe" as const : delivery.redeliverRequested === true ? "redeliver" as const : scheduled
  }
}

/** What a result changes, whatever delivery it is of. */
export interface Change {
  readonly state: "pending" | "delivered" | "exhausted"
  /** Whether an attempt is used up. */
  readonly counted: boolean
  /** Whether anything was tried. A delivery that was not is as it was before the claim. */
  readonly tried: boolean
  /** Absent where it stays. */
  readonly dueAt?: DateTime.Utc
}

export const change = (result: DeliveryResult, now: DateTime.Utc): Change => {
  switch (result._tag) {
    case "Returned":
      return { state: "pending", counted: false, tried: false, dueAt: result.at }
    case "Delivered":
      return { state: "delivered", counted: true, tried: true }
    case "RetryAt":
      return { state: "pending", counted: true, tried: true, dueAt: result.at }
    case "Exhausted":
      return { state: "exhausted", counted: true, tried: true }
    case "NotSent":
      return { state: "pending", counted: false, tried: true, dueAt: result.at }
    case "Gone":
    case "ProbeFailed":
      return { state: "pending", counted: false, tried: true, dueAt: now }
    default:
      return result satisfies never
  }
}

/** A delivery that was sent. One that its owner has asked for meanwhile starts over, unless it arrived. */
export const after = <D extends State>(delivery: D, result: DeliveryResult, now: DateTime.Utc) => {
  const { counted, dueAt = delivery.dueAt, state, tried } = change(result, now)
  const rest = unmarked(delivery)
  if (delivery.redeliverRequested === true && state !== "delivered") {
    return { ...rest, state: "pending" as const, attempts: 0, cause: "redeliver" as const, dueAt: now }
  }
  const attempts = delivery.attempts + (counted ? 1 : 0)
  return { ...rest, state, attempts, cause: tried ? "schedule" as const : delivery.cause, dueAt }
}

/** A delivery whose owner asks for it. What is being sent is only marked: `after` sees to it. */
export const redelivered = <D extends State>(delivery: D, now: DateTime.Utc) =>
  delivery.state === "sending"
    ? { ...delivery, redeliverRequested: true }
    : { ...restarted(delivery, now), cause: "redeliver" as const }

/** A delivery of a time that its owner asks for; `undefined` for one that arrived, or that is sent or due anyway. */
export const recovered = <D extends State>(delivery: D, now: DateTime.Utc) => {
  const isDeferred = delivery.state === "pending" && DateTime.isGreaterThan(delivery.dueAt, now)
  return isDeferred || delivery.state === "exhausted" || delivery.state === "dropped"
    ? { ...restarted(delivery, now), cause: "recover" as const }
    : undefined
}

/** Due now, with all attempts again unless it has some left. */
const restarted = <D extends State>(delivery: D, now: DateTime.Utc) => ({
  ...delivery,
  state: "pending" as const,
  attempts: delivery.state === "pending" ? delivery.attempts : 0,
  dueAt: now
})

/** What waits for an endpoint that has recovered is due now. */
export const madeDue = <D extends State>(delivery: D, now: DateTime.Utc): D =>
  delivery.state === "pending" && DateTime.isGreaterThan(delivery.dueAt, now) ? { ...delivery, dueAt: now } : delivery

/** A delivery whose endpoint is removed. */
export const dropped = <D extends State>(delivery: D) =>
  isOpen(delivery) ? { ...unmarked(delivery), state: "dropped" as const } : delivery
