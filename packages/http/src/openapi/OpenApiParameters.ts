/** What every parameter of paths, queries and headers means, with an example. */
import {
  agentId,
  batchId,
  callId,
  contact,
  created,
  eventId,
  type Field,
  field,
  phoneNumber
} from "./OpenApiExamples.ts"

/** Parameters of paths, queries and headers. */
export const parameters: { readonly [name: string]: Field } = {
  "path id": field("The id.", callId),
  "path phone_number": field("The number, as in a request for a call. A `+` may be written `%2B`.", phoneNumber),
  "header idempotency-key": field(
    "Any unique text of at most 255 printable ASCII characters. A retry with the same key and body answers what the first request made instead of making it twice.",
    "order-4711-reminder-1"
  ),
  "query limit": field("Items of a page: 25 when not given, at most 100.", 25),
  "query cursor": field("The `next_cursor` of the page before.", "WzEsMTc3MjQ0NTYwMDAwMCwiY2FsbF8wMUtDQSJd"),
  "query created_after": field("Only what was created later than this.", created),
  "query created_before": field("Only what was created earlier than this.", created),
  "query status": field("Only calls with this status; give it several times for several.", ["queued", "dialing"]),
  "query agent_id": field("Only calls of this agent.", agentId),
  "query batch_id": field("Only calls of this batch.", batchId),
  "query phone_number": field("Only calls to this number, read as in a request for a call.", phoneNumber),
  "query external_id": field("Only calls whose contact has this `external_id`.", contact.external_id),
  "query test": field("Only test calls, or only real ones.", false),
  "query type": field("Only events of this kind.", "call.completed"),
  "query call_id": field("Only what concerns this call.", callId),
  "query event_id": field("Only deliveries of this event.", eventId),
  "query state": field("Only deliveries in this state; give it several times for several.", ["pending", "held"]),
  "query account": field("A part of the link.", "acct_01"),
  "query expires": field("A part of the link.", "1772532107"),
  "query signature": field("A part of the link.", "x")
}
