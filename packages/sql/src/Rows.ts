/**
 * Rows as the tables have them, and the domain values they stand for: with `CallRows` the only place that knows both names
 * of a field. A row holds what was checked before it was written, so reading it back checks nothing again.
 */
import {
  type Account,
  type Agent,
  type ApiKey,
  type Event,
  Ids,
  type Storage,
  type WebhookEndpoint
} from "@outdial/core"
import { DateTime, Option, Redacted } from "effect"

/** An instant as the driver reads `timestamptz`. */
type Instant = Date

export interface AccountRow {
  readonly id: Ids.AccountId
  readonly name: string
  readonly lines: number
  readonly paused: boolean
  readonly epoch: number
  readonly created_at: Instant
}

export const toAccount = (row: AccountRow): Account.Account => ({
  id: row.id,
  name: row.name,
  lines: row.lines,
  paused: row.paused,
  epoch: row.epoch,
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})

/** What the owner wrote of an agent, kept as one document because it is only ever read whole. */
export type AgentDefinition = Omit<Agent.Agent, "id" | "version" | "createdAt" | "updatedAt">

export interface AgentRow {
  readonly id: Ids.AgentId
  readonly version: number
  readonly definition: AgentDefinition
  readonly created_at: Instant
  readonly updated_at: Instant
}

export const toAgent = (row: AgentRow): Agent.Agent => ({
  ...row.definition,
  id: row.id,
  version: row.version,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  updatedAt: DateTime.fromDateUnsafe(row.updated_at)
})

export const toDefinition = (
  { id: _, version: __, createdAt: ___, updatedAt: ____, ...definition }: Agent.Agent
): AgentDefinition => definition

export interface ApiKeyRow {
  readonly id: Ids.ApiKeyId
  readonly account_id: Ids.AccountId
  readonly name: string
  readonly hash: string
  readonly scopes: ReadonlyArray<ApiKey.Scope>
  readonly created_at: Instant
  readonly expires_at: Instant | null
  readonly revoked_at: Instant | null
}

export const toApiKey = (row: ApiKeyRow): ApiKey.ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  hash: row.hash,
  scopes: row.scopes,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  ...(row.expires_at !== null && { expiresAt: DateTime.fromDateUnsafe(row.expires_at) }),
  ...(row.revoked_at !== null && { revokedAt: DateTime.fromDateUnsafe(row.revoked_at) })
})

export interface WebhookRow {
  readonly account_id: Ids.AccountId
  readonly url: string
  readonly enabled: boolean
  readonly events: ReadonlyArray<Event.SubscribableKind>
  readonly secret: string
  readonly created_at: Instant
  readonly updated_at: Instant
}

export const toWebhook = (row: WebhookRow): WebhookEndpoint.WebhookEndpoint => ({
  accountId: row.account_id,
  url: row.url,
  enabled: row.enabled,
  events: row.events,
  secret: Redacted.make(row.secret),
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  updatedAt: DateTime.fromDateUnsafe(row.updated_at)
})

export interface EventRow {
  readonly id: Ids.EventId
  readonly account_id: Ids.AccountId
  readonly call_id: Ids.CallId
  readonly type: Event.SubscribableKind
  readonly created_at: Instant
  readonly body: string
}

export const toEvent = (row: EventRow): Event.EventRecord => ({
  id: row.id,
  accountId: row.account_id,
  callId: row.call_id,
  type: row.type,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  body: row.body
})

/** An event as a row to be written. */
export const fromEvent = (event: Event.EventRecord) => ({
  id: event.id,
  call_id: event.callId,
  type: event.type,
  created_at: DateTime.formatIso(event.createdAt),
  body: event.body
})

export interface StoredEventRow extends EventRow {
  readonly delivery_state: Storage.DeliveryState | null
  readonly delivery_attempts: number | null
}

export const toStoredEvent = (row: StoredEventRow): Storage.StoredEvent => ({
  ...toEvent(row),
  delivery: row.delivery_state === null || row.delivery_attempts === null
    ? Option.none()
    : Option.some({ state: row.delivery_state, attempts: row.delivery_attempts })
})

export interface ClaimedDeliveryRow {
  readonly id: Ids.DeliveryId
  readonly event_id: Ids.EventId
  readonly attempts: number
  readonly body: string
  readonly due_at: Instant
}

/** Oldest due first: an update returns its rows in any order. */
export const toClaimedDeliveries = (
  rows: ReadonlyArray<ClaimedDeliveryRow>,
  endpoint: Pick<Storage.ClaimedDelivery, "url" | "secrets">
): ReadonlyArray<Storage.ClaimedDelivery> =>
  [...rows].sort((a, b) => a.due_at.getTime() - b.due_at.getTime() || (a.id < b.id ? -1 : 1)).map((row) => ({
    id: row.id,
    eventId: row.event_id,
    attempts: row.attempts,
    ...endpoint,
    body: row.body
  }))

/** What came of a delivery, as a row to be written. */
export const fromDeliveryResult = (settled: Storage.SettleDeliveriesOptions["results"][number]) => ({
  id: settled.deliveryId,
  ...fromResult(settled.result),
  status_code: settled.statusCode,
  error_code: settled.errorCode
})

const fromResult = (
  result: Storage.DeliveryResult
): { readonly state: Storage.DeliveryState; readonly due_at?: string } => {
  switch (result._tag) {
    case "Delivered":
      return { state: "delivered" }
    case "RetryAt":
      return { state: "pending", due_at: DateTime.formatIso(result.at) }
    case "Exhausted":
      return { state: "exhausted" }
    default:
      return result satisfies never
  }
}

/** The first, and only, delivery of an event, as a row to be written: due when the event happened. */
export const fromNewDelivery = (event: Event.EventRecord) => ({
  id: Ids.deliveryId(event.id),
  event_id: event.id,
  due_at: DateTime.formatIso(event.createdAt)
})
