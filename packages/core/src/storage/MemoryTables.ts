/**
 * The tables of `MemoryStorage`, and steps shared by its stores. The data of each account is separate, so that no
 * account can reach another's.
 */
import { DateTime } from "effect"
import type { Account } from "../domain/Account.ts"
import type { Agent } from "../domain/Agent.ts"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { AuditEntry } from "../domain/AuditEntry.ts"
import type { BatchRecord } from "../domain/Batch.ts"
import { type CallRecord, isUnreported, usesLine } from "../domain/Call.ts"
import type { CarrierPause } from "../domain/Carrier.ts"
import type { ConsoleLink, ConsoleSession } from "../domain/ConsoleSession.ts"
import type { Entry } from "../domain/Conversation.ts"
import type { DoNotCallEntry } from "../domain/DoNotCall.ts"
import * as Event from "../domain/Event.ts"
import {
  type AccountId,
  type AuditEntryId,
  type BatchId,
  type CallId,
  type CarrierName,
  type ClaimToken,
  type DeliveryId,
  deliveryId,
  type EventId,
  subscriberDeliveryId,
  type WorkerId
} from "../domain/Ids.ts"
import * as Lane from "../domain/Lane.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { DayUsage } from "../domain/Usage.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { Worker } from "../domain/Worker.ts"
import * as CallLife from "../rules/call/CallLife.ts"
import type { HoldPeriods, SharedPeriods } from "../rules/call/HoldPeriods.ts"
import type * as CircuitBreaker from "../rules/webhook/CircuitBreaker.ts"
import * as DeliveryState from "../rules/webhook/DeliveryState.ts"
import type { Adopted } from "../rules/dispatch/PlanAdoption.ts"
import type { TakenSlots } from "../rules/dispatch/CarrierSlots.ts"
import type { Tenure } from "../rules/conversation/ConversationLog.ts"
import type { RequestWindow } from "../rules/access/RequestWindow.ts"
import * as DueHeap from "./DueHeap.ts"
import type { DeliveryAttempt } from "../domain/Delivery.ts"
import type { ClaimedCall } from "./WorkStore.ts"

/** The state of one storage. */
export interface Database {
  readonly accounts: Map<AccountId, Tables>
  /** By hash. */
  readonly apiKeys: Map<string, ApiKey>
  deploymentPaused: boolean
  deploymentPeriods: HoldPeriods
  readonly carriers: Map<CarrierName, CarrierRow>
  readonly workers: Map<WorkerId, Worker>
  /** By hash. */
  readonly consoleLinks: Map<string, ConsoleLink>
  /** By hash. */
  readonly consoleSessions: Map<string, ConsoleSession>
  readonly auditLog: Map<AuditEntryId, AuditEntry>
  /** What waiting calls are planned by. */
  planData: Adopted | undefined
}

export interface CarrierRow {
  /** The slots of its calls per second that were taken last. */
  readonly slots?: TakenSlots
  readonly pause?: CarrierPause
}

export interface Delivery extends DeliveryState.State {
  readonly id: DeliveryId
  readonly accountId: AccountId
  readonly eventId: EventId
  /** The webhook endpoint when absent. */
  readonly subscriber?: string
  readonly token?: ClaimToken
  /** While it is sent: of the endpoint that it is sent to. */
  readonly generation?: number
  /** Finished attempts, oldest first. */
  readonly log: ReadonlyArray<DeliveryAttempt>
}

export interface ConversationLogTable extends Tenure {
  /** Empty once the log is sealed. */
  readonly entries: ReadonlyArray<Entry>
}

/** What the request of an idempotency key started, and when. */
export interface UsedKey {
  readonly fingerprint: string
  readonly resourceId: string
  readonly createdAt: DateTime.Utc
}

/** A lane that is closed until an instant, or was. */
export interface ClosedLane {
  readonly until: DateTime.Utc
  readonly periods: HoldPeriods
}

/** The data of one account. */
export interface Tables {
  account: Account
  readonly agents: Map<string, Array<Agent>>
  readonly calls: Map<CallId, CallRecord>
  /** The waiting call of each number. */
  readonly waiting: Map<PhoneNumber, CallId>
  /** The lanes with waiting calls, with the due instant of each call. */
  readonly lanes: Map<Lane.Lane, DueHeap.DueHeap<CallId>>
  /** When the calls that wait expire. */
  readonly expiring: DueHeap.DueHeap<CallId>
  /** Every claim of a call, oldest first; a call that went back to the queue has another `dialedAt` now, or none. */
  readonly placed: Array<{ readonly id: CallId; readonly at: DateTime.Utc }>
  /** Calls that use a line. */
  readonly live: Set<CallId>
  /** Calls whose outcome or recording is awaited. */
  readonly unprocessed: Set<CallId>
  /** Calls that have lost their recordings, until the files are removed. */
  readonly unwantedRecordings: Set<CallId>
  /** The logs of conversations, until the transcripts of their calls are deleted. */
  readonly conversations: Map<CallId, ConversationLogTable>
  /** Every call to each number. */
  readonly byNumber: Map<PhoneNumber, Array<CallId>>
  readonly doNotCall: Map<PhoneNumber, DoNotCallEntry>
  readonly closedLanes: Map<Lane.Lane, ClosedLane>
  /** What has held all calls of the account. */
  periods: HoldPeriods
  /** No call of the account may be dialed before. */
  blockedUntil: DateTime.Utc | undefined
  /** By route and key. */
  readonly idempotency: Map<string, UsedKey>
  readonly batches: Map<BatchId, BatchRecord>
  readonly windows: Map<string, RequestWindow>
  readonly events: Map<EventId, Event.EventRecord>
  /** The events with erased bodies. */
  readonly erasedEvents: Set<EventId>
  /** Aliases of erased callees, with their numbers if the account has used them again. */
  readonly erasedCallees: Map<PhoneNumber, PhoneNumber | undefined>
  /** By date in the account's zone: the usage of calls dialed before `foldedUntil`. */
  readonly usage: Map<string, DayUsage>
  foldedUntil: DateTime.Utc | undefined
  readonly deliveries: Map<DeliveryId, Delivery>
  webhook: WebhookEndpoint | undefined
  /** Of the webhook endpoint. */
  breaker: CircuitBreaker.Breaker
  /** How often the endpoint has become another: see `CircuitBreaker.reset`. */
  generation: number
  /** The kinds that each subscribes to. */
  readonly subscribers: Map<string, ReadonlyArray<Event.SubscribableKind>>
  /** Batches that may have been completed, since when. */
  readonly endedBatches: Map<BatchId, DateTime.Utc>
  /** In order of their positions, which begin with 1. */
  readonly feed: Array<EventId>
}

export const isDue = (at: DateTime.Utc | undefined, now: DateTime.Utc): boolean =>
  at !== undefined && DateTime.isLessThanOrEqualTo(at, now)

/** Whether the instant lies between the bounds, both exclusive. */
export const isWithin = (
  at: DateTime.Utc,
  bounds: { readonly createdAfter?: DateTime.Utc; readonly createdBefore?: DateTime.Utc }
): boolean =>
  (bounds.createdAfter === undefined || DateTime.isGreaterThan(at, bounds.createdAfter)) &&
  (bounds.createdBefore === undefined || DateTime.isLessThan(at, bounds.createdBefore))

/** Whether the call has a transcript or a recording, or had a conversation that may have left one. */
export const hasTranscript = ({ conversations }: Tables, call: CallRecord): boolean => {
  const { hasRecording, id, outcome, transcript } = call
  return hasRecording || transcript !== undefined || (outcome !== null && outcome.transcript.length > 0) ||
    conversations.has(id)
}

export const isQueued = (call: CallRecord): boolean => call.status === "queued"

/** Whether a node that has these carriers looks after the call; all of them when not given. */
export const isOfCarriers = ({ carrier }: CallRecord, carriers: ReadonlyArray<CarrierName> | undefined): boolean =>
  carriers === undefined || (carrier === undefined ? carriers.length > 0 : carriers.includes(carrier))

/** The calls with these ids, which are the account's. */
export const callsOf = (tables: Tables, ids: Iterable<CallId>): ReadonlyArray<CallRecord> =>
  [...ids].flatMap((id) => {
    const call = tables.calls.get(id)
    return call === undefined ? [] : [call]
  })

/** When the next delivery to the endpoint or subscriber is due: with as many in flight as may be, when a lease ends. */
export const deliveryDueAt = (
  { deliveries }: Tables,
  subscriber: string | undefined,
  room: number
): DateTime.Utc | undefined => {
  const open = [...deliveries.values()].filter((delivery) =>
    delivery.subscriber === subscriber && DeliveryState.isOpen(delivery)
  )
  const sending = open.filter(({ state }) => state === "sending")
  const next = sending.length >= room ? sending : open
  return next.reduce<DateTime.Utc | undefined>(
    (first, { dueAt }) => first === undefined ? dueAt : DateTime.min(first, dueAt),
    undefined
  )
}

/** Whether the calls of the lane are as they would be planned now. */
export const isPlanned = ({ planData }: Database, { account }: Tables, lane: Lane.Lane): boolean =>
  Lane.isPlannedBy(lane, {
    planVersion: account.planVersion,
    ...(planData !== undefined && { planData: planData.version })
  })

/** What may have held calls of the account together. */
export const sharedPeriods = ({ deploymentPeriods }: Database, { closedLanes, periods }: Tables): SharedPeriods => ({
  account: periods,
  deployment: deploymentPeriods,
  lanes: new Map([...closedLanes].map(([lane, { periods }]) => [lane, periods]))
})

/** The account's tables. An unknown account is a bug of the caller. */
export const tablesOf = ({ accounts }: Database, id: AccountId): Tables => {
  const tables = accounts.get(id)
  if (tables === undefined) throw new Error(`There is no account ${id}`)
  return tables
}

/** Updates the heaps of due and expiring calls. */
const updateDueHeaps = ({ expiring, lanes }: Tables, before: CallRecord | undefined, after: CallRecord) => {
  const { dueAt, expiresAt, id, lane, status } = after
  const old = before && lanes.get(before.lane)
  if (old !== undefined && before !== undefined && (status !== "queued" || before.lane !== lane)) {
    DueHeap.remove(old, id)
    if (old.dueAt.size === 0) lanes.delete(before.lane)
  }
  if (status !== "queued") return DueHeap.remove(expiring, id)
  const heap = lanes.get(lane) ?? DueHeap.make<CallId>()
  lanes.set(lane, heap)
  DueHeap.put(heap, id, dueAt)
  DueHeap.put(expiring, id, expiresAt)
}

const setMembership = (ids: Set<CallId>, id: CallId, isMember: boolean) =>
  void (isMember ? ids.add(id) : ids.delete(id))

/** Updates the call in all tables. */
export const put = (tables: Tables, before: CallRecord | undefined, after: CallRecord) => {
  const { id, phoneNumber } = after
  tables.calls.set(id, after)
  if (before === undefined) tables.byNumber.set(phoneNumber, [...tables.byNumber.get(phoneNumber) ?? [], id])
  if (isQueued(after)) tables.waiting.set(phoneNumber, id)
  else if (before !== undefined && isQueued(before)) tables.waiting.delete(phoneNumber)
  updateDueHeaps(tables, before, after)
  if (after.dialedAt !== undefined && after.dialedAt !== before?.dialedAt) {
    tables.placed.push({ id, at: after.dialedAt })
  }
  setMembership(tables.live, id, usesLine(after.status))
  setMembership(tables.unprocessed, id, isUnreported(after))
  if (before?.hasRecording === true && !after.hasRecording) tables.unwantedRecordings.add(id)
}

/** Makes the number's waiting call due, if there is one, because the call that it waited for has ended. */
export const reconsider = (tables: Tables, number: PhoneNumber, now: DateTime.Utc) => {
  const id = tables.waiting.get(number)
  const call = id === undefined ? undefined : tables.calls.get(id)
  const after = call && CallLife.reconsidered(call, now)
  if (after !== undefined) put(tables, call, after)
}

/** Writes a change of a call together with the event that it means. */
export const save = (tables: Tables, before: CallRecord | undefined, after: CallRecord, events: Event.EventWriter) => {
  put(tables, before, after)
  const change = { before, after }
  const kind = Event.kindOf(change)
  if (kind === undefined) return
  if (!isWanted(tables, kind) && !Event.isTerminal(kind)) return
  const event = events(change, kind)
  const { batchId } = after
  const isNew = batchId !== null && !tables.endedBatches.has(batchId)
  if (isNew && Event.isTerminal(kind) && isWanted(tables, "batch.completed")) {
    tables.endedBatches.set(batchId, event.createdAt)
  }
  record(tables, event)
}

/** Whether any endpoint or subscriber subscribes to the kind, including disabled endpoints. */
export const isWanted = ({ subscribers, webhook }: Tables, kind: Event.SubscribableKind): boolean =>
  webhook?.events.includes(kind) === true || [...subscribers.values()].some((kinds) => kinds.includes(kind))

/** Writes the event, and a delivery to the endpoint and each subscriber that subscribe to its kind. */
export const record = (tables: Tables, event: Event.EventRecord) => {
  if (tables.events.has(event.id)) throw new Error(`The event ${event.id} exists`)
  tables.events.set(event.id, event)
  if (tables.webhook?.events.includes(event.type) === true) addDelivery(tables, newDelivery(event))
  for (const [name, kinds] of tables.subscribers) {
    if (kinds.includes(event.type)) addDelivery(tables, newDelivery(event, name))
  }
}

const addDelivery = ({ deliveries }: Tables, delivery: Delivery) => deliveries.set(delivery.id, delivery)

/** Due when the event happened. */
export const newDelivery = (event: Event.EventRecord, subscriber?: string): Delivery => ({
  id: subscriber === undefined ? deliveryId(event.id) : subscriberDeliveryId(event.id, subscriber),
  accountId: event.accountId,
  eventId: event.id,
  ...(subscriber !== undefined && { subscriber }),
  state: "pending",
  attempts: 0,
  cause: "schedule",
  dueAt: event.createdAt,
  log: []
})

/** Another call to the same number that waits. */
export const waitingFor = (tables: Tables, call: CallRecord): CallId | undefined => {
  const id = tables.waiting.get(call.phoneNumber)
  return id === call.id ? undefined : id
}

/** The version of its agent that the call was accepted with. */
const agentOf = (tables: Tables, call: CallRecord): Agent => {
  const agent = tables.agents.get(call.agentId)?.find((version) => version.version === call.agentVersion)
  if (agent === undefined) throw new Error(`There is no version ${call.agentVersion} of agent ${call.agentId}`)
  return agent
}

export const claimed = (tables: Tables, call: CallRecord): ClaimedCall => ({ call, agent: agentOf(tables, call) })

export const latest = (versions: ReadonlyArray<Agent> | undefined): Agent | undefined => versions?.[versions.length - 1]
