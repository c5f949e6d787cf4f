/**
 * The filters of a list, and its page: one description for requests of hosts, of HTTP and of its clients. An absent
 * filter matches everything.
 */
import { Schema } from "effect"
import { CallStatus } from "./Call.ts"
import { DeliveryState, SubscribableKind } from "./Event.ts"
import * as Example from "./Examples.ts"
import { field } from "./FieldDocs.ts"
import { AgentId, BatchId, CallId, EventId } from "./Ids.ts"
import * as Page from "./Page.ts"
import { WrittenNumber } from "./PhoneNumber.ts"
import { HostInstant } from "./Timestamp.ts"
import { Sequence } from "./Transcript.ts"

/** Which page of a list. */
export const page = {
  /** 25 when not given, at most 100. */
  limit: field(Schema.optionalKey(Page.Limit), "Items of a page: 25 when not given, at most 100.", 25),
  /** The `nextCursor` of the page before. */
  cursor: field(
    Schema.optionalKey(Page.Cursor("nextCursor")),
    "The `next_cursor` of the page before.",
    "WzEsMTc3MjQ0NTYwMDAwMCwiY2FsbF8wMUtDQSJd"
  )
}

export const PageQuery = Schema.Struct(page)

/** When it was created; both ends are exclusive. */
export const created = {
  createdAfter: field(Schema.optionalKey(HostInstant), "Only items created after this instant.", Example.created),
  createdBefore: field(Schema.optionalKey(HostInstant), "Only items created before this instant.", Example.created)
}

const callId = field(Schema.optionalKey(CallId), "Only items of this call.", Example.callId)

/** Which calls. */
export const CallQuery = Schema.Struct({
  ...page,
  ...created,
  /** Any of these. */
  status: field(
    Schema.optionalKey(Schema.Array(CallStatus)),
    "Only calls with this status; give it several times for several.",
    ["queued", "dialing"]
  ),
  agentId: field(Schema.optionalKey(AgentId), "Only calls of this agent.", Example.agentId),
  batchId: field(Schema.optionalKey(BatchId), "Only calls of this batch.", Example.batchId),
  phoneNumber: field(
    Schema.optionalKey(WrittenNumber),
    "Only calls to this number, read as in a request for a call.",
    Example.phoneNumber
  ),
  externalId: field(
    Schema.optionalKey(Schema.String),
    "Only calls whose contact has this `external_id`.",
    Example.contact.external_id
  ),
  test: field(Schema.optionalKey(Schema.Boolean), "Only test calls, or only real ones.", false)
})

/** Which events. */
export const EventQuery = Schema.Struct({
  ...page,
  ...created,
  type: field(Schema.optionalKey(SubscribableKind), "Only events of this kind.", "call.completed"),
  callId
})

/** Which turns of a transcript. */
export const TranscriptQuery = Schema.Struct({
  after: field(
    Schema.optionalKey(Sequence),
    "Only turns after the one with this sequence number. Default: all.",
    12
  )
})

/** Which deliveries. */
export const DeliveryQuery = Schema.Struct({
  ...page,
  ...created,
  eventId: field(Schema.optionalKey(EventId), "Only deliveries of this event.", Example.eventId),
  callId,
  /** Any of these. */
  state: field(
    Schema.optionalKey(Schema.Array(DeliveryState)),
    "Only deliveries in this state; give it several times for several.",
    ["pending", "held"]
  )
})
