/**
 * What remains of calls, events and rejected rows when their callee is erased: counts and what the rules must know, and no personal data.
 * Storage applies these functions to the rows that it has locked, so that memory and SQL cannot disagree.
 */
import { Option, Schema, Struct } from "effect"
import type { RejectedRow } from "../../domain/Batch.ts"
import { type CallRecord, type CallState, isFinal, isUnreported } from "../../domain/Call.ts"
import type { EventRecord } from "../../domain/Event.ts"
import * as StatusCode from "../../domain/StatusCode.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"

/** Whether the call has ended and been reported. */
export const isErasable = (call: CallState): boolean => isFinal(call.status) && !isUnreported(call)

/** The call without its callee. When and how it ended stays, under the number's alias. */
export const erasedCall = (call: CallRecord, alias: PhoneNumber): CallRecord => {
  const personal = ["carrierReason", "decision", "endedCarrierCallId", "holds", "notes", "transcript"] as const
  return {
    ...Struct.omit(call, personal),
    phoneNumber: alias,
    contact: {},
    variables: {},
    metadata: {},
    hasRecording: false,
    outcome: null,
    outcomeState: call.outcomeState === "stored" ? "given_up" : call.outcomeState
  }
}

/** The fields of a call that may stay in the body of an event. */
const kept = [
  "id",
  "object",
  "status",
  "status_reason",
  "status_code",
  "agent_id",
  "batch_id",
  "test",
  "duration_seconds",
  "created_at",
  "dialed_at",
  "ended_at",
  "answered_by"
]

const Body = Schema.fromJsonString(
  Schema.Struct({ data: Schema.Record(Schema.String, Schema.Json) }).pipe(
    Schema.fieldsAssign({
      id: Schema.String,
      object: Schema.String,
      type: Schema.String,
      timestamp: Schema.String,
      api_version: Schema.String,
      test: Schema.Boolean
    })
  )
)
const readBody = Schema.decodeUnknownOption(Body)

/** The body of an event about a call, with the same id, and `erased: true` in place of personal data. */
export const erasedBody = ({ body }: EventRecord): string => {
  const read = readBody(body)
  // A body that cannot be parsed is emptied.
  if (Option.isNone(read)) return "{}"
  const { api_version, data, id, object, test, timestamp, type } = read.value
  return JSON.stringify({
    id,
    object,
    type,
    timestamp,
    api_version,
    test,
    data: {
      ...Object.fromEntries(Object.entries(data).filter(([name]) => kept.includes(name))),
      ...withoutCarrierReason(data),
      erased: true
    }
  })
}

/** The reason in our words only: the carrier's words are about the callee. */
const withoutCarrierReason = ({ carrier_reason, status_code }: { readonly [name: string]: Schema.Json }) =>
  carrier_reason !== undefined && StatusCode.isStatusCode(status_code)
    ? { status_reason: StatusCode.reason(status_code) }
    : {}

/** The row without the data of its request. */
export const erasedRow = ({ code, index }: RejectedRow): RejectedRow => ({
  index,
  phoneNumber: "",
  code,
  message: "What this row held has been erased"
})
