/** Maps rows of events and deliveries. See `Rows`. */
import { DeliveryState, type Event, Ids, type Storage } from "@outdial/core"
import { type Array, DateTime, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"

/** An instant as the driver reads `timestamptz`. */
type Instant = Date

export interface EventRow {
  readonly id: Ids.EventId
  readonly account_id: Ids.AccountId
  readonly call_id: Ids.CallId | null
  readonly batch_id: Ids.BatchId | null
  readonly type: Event.SubscribableKind
  readonly created_at: Instant
  readonly body: string
}

export const toEvent = (row: EventRow): Event.EventRecord => ({
  id: row.id,
  accountId: row.account_id,
  ...about(row),
  type: row.type,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  body: row.body
})

/** The subject of an event. */
const about = ({ batch_id, call_id }: Pick<EventRow, "batch_id" | "call_id">) => ({
  ...(call_id !== null && { callId: call_id }),
  ...(batch_id !== null && { batchId: batch_id })
})

/**
 * The range of ids of a call's events: each begins with the call's, and letters and digits sort before a tilde. The range
 * is empty if the id is too short for a call's, which might be a prefix of all.
 */
export const idsOfCall = (callId: Ids.CallId): readonly [string, string] => {
  const first = Ids.terminalEventId(callId)
  return [first, callId.length < "call_".length + Ids.ulidLength ? first : `${first}~`]
}

/** Whether the event `e` is about the call. Index: primary key. */
export const isOfCall = (sql: SqlClient.SqlClient, callId: Ids.CallId): Statement.Fragment => {
  const [first, last] = idsOfCall(callId)
  return sql`e.id >= ${first} and e.id < ${last} and e.call_id = ${callId}`
}

/** An event as a row to be written. */
export const fromEvent = (event: Event.EventRecord) => ({
  id: event.id,
  call_id: event.callId,
  batch_id: event.batchId,
  type: event.type,
  created_at: DateTime.formatIso(event.createdAt),
  body: event.body
})

export interface StoredEventRow extends EventRow {
  readonly erased: boolean
  readonly delivery_state: Storage.DeliveryState | null
  readonly delivery_attempts: number | null
}

export const toStoredEvent = (row: StoredEventRow): Storage.StoredEvent => ({
  ...toEvent(row),
  isErased: row.erased,
  delivery: row.delivery_state === null || row.delivery_attempts === null
    ? Option.none()
    : Option.some({ state: row.delivery_state, attempts: row.delivery_attempts })
})

export interface ClaimedDeliveryRow {
  readonly id: Ids.DeliveryId
  readonly event_id: Ids.EventId
  readonly attempts: number
  readonly cause: Storage.AttemptCause
  readonly due_at: Instant
  readonly body: string
}

/** With the whole event, for the subscriber's handler. */
export interface SubscriberDeliveryRow extends ClaimedDeliveryRow, Omit<EventRow, "id"> {}

/** Oldest due first: an update returns its rows in any order. */
const inOrder = <Row extends ClaimedDeliveryRow>(rows: ReadonlyArray<Row>) =>
  [...rows].sort((a, b) => a.due_at.getTime() - b.due_at.getTime() || (a.id < b.id ? -1 : 1))

export const toSubscriberDeliveries = (
  rows: ReadonlyArray<SubscriberDeliveryRow>
): ReadonlyArray<Storage.SubscriberDelivery> =>
  inOrder(rows).map((row) => ({ id: row.id, attempts: row.attempts, event: toEvent({ ...row, id: row.event_id }) }))

export const toClaimedDeliveries = (
  rows: ReadonlyArray<ClaimedDeliveryRow>,
  endpoint: Pick<Storage.ClaimedDelivery, "url" | "secrets">
): ReadonlyArray<Storage.ClaimedDelivery> =>
  inOrder(rows).map((row) => ({
    id: row.id,
    eventId: row.event_id,
    attempts: row.attempts,
    cause: row.cause,
    dueAt: DateTime.fromDateUnsafe(row.due_at),
    ...endpoint,
    body: row.body
  }))

/** The result of a delivery, as a row to be written. */
export const fromDeliveryResult = (
  settled: Storage.SettleDeliveriesOptions["results"][number],
  now: DateTime.Utc
) => ({
  id: settled.deliveryId,
  ...fromChange(DeliveryState.change(settled.result, now)),
  ...(settled.attempt !== undefined && { attempt: fromAttempt(settled.attempt) })
})

const fromChange = ({ dueAt, ...change }: DeliveryState.Change) => ({
  ...change,
  ...(dueAt !== undefined && { due_at: DateTime.formatIso(dueAt) })
})

/** An attempt in the log of its delivery, with instants in milliseconds. */
interface AttemptRow {
  readonly at: number
  readonly cause: Storage.AttemptCause
  readonly status_code?: number | undefined
  readonly error_code?: string | undefined
  readonly duration_ms: number
}

const fromAttempt = ({ at, cause, durationMs, errorCode, statusCode }: Storage.DeliveryAttempt): AttemptRow => ({
  at: at.epochMilliseconds,
  cause,
  status_code: statusCode,
  error_code: errorCode,
  duration_ms: Math.round(durationMs)
})

export type NewDelivery = ReturnType<typeof fromNewDelivery>

/** The only delivery of an event to the endpoint or subscriber, as a row to be written. It is due at the event's instant. */
export const fromNewDelivery = (event: Event.EventRecord, subscriber: string) => ({
  id: subscriber === webhook ? Ids.deliveryId(event.id) : Ids.subscriberDeliveryId(event.id, subscriber),
  event_id: event.id,
  subscriber,
  created_at: DateTime.formatIso(event.createdAt)
})

/** The subscriber name of the webhook endpoint. */
export const webhook = ""

/** The id of an event's delivery to the webhook endpoint, as `Ids.deliveryId` makes it. */
export const deliveryOf = (sql: SqlClient.SqlClient, eventId: Statement.Fragment) =>
  sql`'dlv_' || substr(${eventId}, 5)`

export interface DeliveryRow {
  readonly id: Ids.DeliveryId
  readonly event_id: Ids.EventId
  readonly call_id: Ids.CallId | null
  readonly batch_id: Ids.BatchId | null
  readonly type: Event.SubscribableKind
  readonly state: Storage.DeliveryState
  readonly due_at: Instant
  readonly created_at: Instant
  /** Oldest first. */
  readonly log: ReadonlyArray<AttemptRow>
}

export const toDelivery = (row: DeliveryRow): Storage.DeliveryRecord => ({
  id: row.id,
  eventId: row.event_id,
  ...about(row),
  type: row.type,
  state: row.state,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  ...(row.state === "pending" && { nextAttemptAt: DateTime.fromDateUnsafe(row.due_at) }),
  attempts: row.log.map((attempt) => ({
    at: DateTime.makeUnsafe(attempt.at),
    cause: attempt.cause,
    ...(attempt.status_code !== undefined && { statusCode: attempt.status_code }),
    ...(attempt.error_code !== undefined && { errorCode: attempt.error_code }),
    durationMs: attempt.duration_ms
  }))
})

/** The state of delivery `d` to endpoint `w`, as the owner sees it: pending deliveries of a disabled endpoint are held. */
export const stateOf = ({ sql }: Database): Statement.Fragment =>
  sql`case when d.state = 'pending' and not w.enabled then 'held' else d.state end`

type StoredState = Exclude<Storage.DeliveryState, "held">

export const storedStates: Array.NonEmptyReadonlyArray<StoredState> = [
  "pending",
  "sending",
  "delivered",
  "exhausted",
  "dropped"
]

/** Whether a delivery `d` to the endpoint is in this state, for lists. */
export const isStored = ({ sql }: Database) => (state: StoredState): Statement.Fragment => {
  switch (state) {
    case "delivered":
      // Index: outdial_deliveries_delivered.
      return sql`d.state = 'delivered'`
    case "sending":
      // Index: outdial_deliveries_sending, all of it.
      return sql`d.state = 'sending'`
    default:
      // Index: outdial_deliveries_undelivered, whose predicate has to be written for it.
      return sql`d.state = ${state} and d.state <> 'delivered' and d.state <> 'sending'`
  }
}
