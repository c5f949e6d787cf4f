/**
 * Writes the event of a call's change, or of a batch's completion. The body is serialised once, here, from the same
 * form that `GET` returns. Its id derives from the call or batch, so that a repeated step writes one event.
 */
import { DateTime, Option, Schema } from "effect"
import { type Call, type CallRecord, fromRecord, type RecordingLink } from "../../domain/Call.ts"
import * as Batch from "../../domain/Batch.ts"
import { type EventRecord, type EventWriter, isTerminal, type SubscribableKind } from "../../domain/Event.ts"
import { AgentId, CallId, completionEventId, EventId, terminalEventId } from "../../domain/Ids.ts"
import { PhoneNumber } from "../../domain/PhoneNumber.ts"
import { BatchWire, CallJson } from "../../domain/Wire.ts"

// Stored data was checked when it was written. Limits may have changed since, so that it is not checked again.
const encodeCall = Schema.encodeSync(CallJson, { disableChecks: true })
const encodeBatch = Schema.encodeSync(Schema.toCodecJson(BatchWire), { disableChecks: true })

/** The writer for events at `now`. `recordings` has the links for the bodies. */
export const eventWriter =
  (now: DateTime.Utc, recordings: ReadonlyMap<CallId, RecordingLink> = new Map()): EventWriter => ({ after }, kind) => {
    const id = eventId(after, kind, now)
    const call = fromRecord(after, Option.fromUndefinedOr(recordings.get(after.id)))
    return {
      id,
      accountId: after.accountId,
      callId: after.id,
      type: kind,
      createdAt: now,
      body: aboutCall({ id, type: kind, at: now, call })
    }
  }

/** The event of a completed batch; its rows are read with `GET /v1/batches/{id}`. */
export const batchCompleted = (
  batch: Batch.BatchRecord,
  calls: ReadonlyArray<Batch.BatchCall>,
  now: DateTime.Utc
): EventRecord => {
  const id = completionEventId(batch.id)
  const type = "batch.completed"
  const data = encodeBatch(Batch.fromRecord(batch, calls, { rows: false }))
  return {
    id,
    accountId: batch.accountId,
    batchId: batch.id,
    type,
    createdAt: now,
    body: envelope({ id, type, at: now, test: batch.test, data })
  }
}

const aboutCall = ({ call, ...event }: {
  readonly id: EventId
  readonly type: string
  readonly at: DateTime.Utc
  readonly call: Call
}): string => envelope({ ...event, test: call.test, data: encodeCall(call) })

const envelope = ({ at, data, id, test, type }: {
  readonly id: EventId
  readonly type: string
  readonly at: DateTime.Utc
  readonly test: boolean
  readonly data: unknown
}): string =>
  JSON.stringify({
    id,
    object: "event",
    type,
    timestamp: DateTime.formatIso(at),
    api_version: "v1",
    test,
    data
  })

/** The body of a `webhook.test`: about a call that never was. */
export const testEventBody = (id: EventId, at: DateTime.Utc): string =>
  aboutCall({
    id,
    type: "webhook.test",
    at,
    call: {
      id: CallId.make(`call_${id.slice("evt_".length)}`),
      object: "call",
      status: "completed",
      agentId: AgentId.make("00000000-0000-4000-8000-000000000000"),
      phoneNumber: PhoneNumber.make("+14155550100"),
      contact: { name: "Test contact", externalId: "test" },
      variables: {},
      metadata: {},
      batchId: null,
      test: true,
      durationSeconds: 0,
      createdAt: at,
      endedAt: at,
      outcome: null
    }
  })

// A call can be dialed more than once, even at one instant, when nothing was sent the first time: its claim distinguishes the steps.
const eventId = ({ claim, id }: CallRecord, kind: SubscribableKind, now: DateTime.Utc): EventId =>
  isTerminal(kind)
    ? terminalEventId(id)
    : EventId.make(
      `${terminalEventId(id)}${markOf(kind)}${
        claim === undefined ? now.epochMilliseconds.toString(36) : claim.token.slice("claim_".length).toLowerCase()
      }`
    )

const markOf = (kind: SubscribableKind) => {
  if (kind === "call.dialing") return "D"
  return kind === "call.in_progress" ? "P" : "U"
}
