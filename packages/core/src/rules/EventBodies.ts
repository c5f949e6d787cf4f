/**
 * Writes the event that a change of a call means. The body is serialised here, once, from the very form that
 * `GET /v1/calls/{id}` answers; its ids are made from the call's, so that a step told twice is one event.
 */
import { DateTime, Option, Schema } from "effect"
import { type Call, fromRecord, type RecordingLink } from "../domain/Call.ts"
import { type EventWriter, isTerminal, type SubscribableKind } from "../domain/Event.ts"
import { AgentId, CallId, EventId, terminalEventId } from "../domain/Ids.ts"
import { PhoneNumber } from "../domain/PhoneNumber.ts"
import { CallJson } from "../domain/Wire.ts"

const encodeCall = Schema.encodeSync(CallJson)

/** The writer for what happens at `now`; `recordings` holds the links that the bodies are to carry. */
export const eventWriter =
  (now: DateTime.Utc, recordings: ReadonlyMap<CallId, RecordingLink> = new Map()): EventWriter => ({ after }, kind) => {
    const id = eventId(after.id, kind, now)
    const call = fromRecord(after, Option.fromUndefinedOr(recordings.get(after.id)))
    return {
      id,
      accountId: after.accountId,
      callId: after.id,
      type: kind,
      createdAt: now,
      body: envelope({ id, type: kind, at: now, call })
    }
  }

const envelope = ({ at, call, id, type }: {
  readonly id: EventId
  readonly type: string
  readonly at: DateTime.Utc
  readonly call: Call
}): string =>
  JSON.stringify({
    id,
    object: "event",
    type,
    timestamp: DateTime.formatIso(at),
    api_version: "v1",
    test: call.test,
    data: encodeCall(call)
  })

/** The body of a `webhook.test`: about a call that never was. */
export const testEventBody = (id: EventId, at: DateTime.Utc): string =>
  envelope({
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

// A call can dial more than once, when nothing was sent the first time; the instant tells those steps apart.
const eventId = (callId: CallId, kind: SubscribableKind, now: DateTime.Utc): EventId =>
  isTerminal(kind)
    ? terminalEventId(callId)
    : EventId.make(
      `${terminalEventId(callId)}${kind === "call.dialing" ? "D" : "P"}${now.epochMilliseconds.toString(36)}`
    )
