/**
 * Every step of a delivery, as a pure function. Memory applies it directly. SQL writes sets of rows in one statement,
 * which repeats the row's part of the step; a test compares each statement with its function on random rows.
 */
import { DateTime } from "effect"
import type { AttemptCause, DeliveryResult, DeliveryState } from "../../domain/Delivery.ts"

/** The fields that the steps read and change. */
export interface State {
  readonly state: Exclude<DeliveryState, "held">
  /** Attempts that are used up. */
  readonly attempts: number
  readonly cause: AttemptCause
  readonly dueAt: DateTime.Utc
  /** While it is sent: whether its owner has asked for a redelivery meanwhile. */
  readonly redeliverRequested?: boolean
}

/** Whether it is still to be sent, or being sent. */
export const isOpen = ({ state }: Pick<State, "state">): boolean => state === "pending" || state === "sending"

const unmarked = <D extends State>({ redeliverRequested: _, ...delivery }: D) => delivery

/**
 * A claimed delivery. With `countsLost`, a lease that ran out uses up an attempt: a handler may crash its process, a
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

/** The effect of a result on any delivery. */
export interface Change {
  readonly state: "pending" | "delivered" | "exhausted"
  /** Whether an attempt is used up. */
  readonly counted: boolean
  /** Whether anything was tried. Otherwise the delivery is as it was before the claim. */
  readonly tried: boolean
  /** Absent when it is unchanged. */
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

/** A delivery after its result. If its owner has asked for a redelivery meanwhile, it starts over unless it was delivered. */
export const after = <D extends State>(delivery: D, result: DeliveryResult, now: DateTime.Utc) => {
  const { counted, dueAt = delivery.dueAt, state, tried } = change(result, now)
  const rest = unmarked(delivery)
  if (delivery.redeliverRequested === true && state !== "delivered") {
    return { ...rest, state: "pending" as const, attempts: 0, cause: "redeliver" as const, dueAt: now }
  }
  const attempts = delivery.attempts + (counted ? 1 : 0)
  return { ...rest, state, attempts, cause: tried ? "schedule" as const : delivery.cause, dueAt }
}

/** A redelivery. A delivery in flight is only marked; `after` starts it over. */
export const redelivered = <D extends State>(delivery: D, now: DateTime.Utc) =>
  delivery.state === "sending"
    ? { ...delivery, redeliverRequested: true }
    : { ...restarted(delivery, now), cause: "redeliver" as const }

/** A recovered delivery of a time range; `undefined` for one that was delivered, is in flight or is due. */
export const recovered = <D extends State>(delivery: D, now: DateTime.Utc) => {
  const isDeferred = delivery.state === "pending" && DateTime.isGreaterThan(delivery.dueAt, now)
  return isDeferred || delivery.state === "exhausted" || delivery.state === "dropped"
    ? { ...restarted(delivery, now), cause: "recover" as const }
    : undefined
}

/** Due now. A pending delivery keeps its attempts; any other starts over. */
const restarted = <D extends State>(delivery: D, now: DateTime.Utc) => ({
  ...delivery,
  state: "pending" as const,
  attempts: delivery.state === "pending" ? delivery.attempts : 0,
  dueAt: now
})

/** A waiting delivery after its endpoint has recovered: due now. */
export const madeDue = <D extends State>(delivery: D, now: DateTime.Utc): D =>
  delivery.state === "pending" && DateTime.isGreaterThan(delivery.dueAt, now) ? { ...delivery, dueAt: now } : delivery

/** A delivery whose endpoint is removed. */
export const dropped = <D extends State>(delivery: D) =>
  isOpen(delivery) ? { ...unmarked(delivery), state: "dropped" as const } : delivery
