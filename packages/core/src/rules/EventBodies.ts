/**
 * Writes the event that a change of a call means. The body is serialised here, once, from the very form that
 * `GET /v1/calls/{id}` answers; its ids are made from the call's, so that a step told twice is one event.
 */
import { DateTime, Option, Schema } from "effect"
import { fromRecord, type RecordingLink } from "../domain/Call.ts"
import { type EventWriter, isTerminal, type SubscribableKind } from "../domain/Event.ts"
import { type CallId, EventId, terminalEventId } from "../domain/Ids.ts"
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
      body: JSON.stringify({
        id,
        object: "event",
        type: kind,
        timestamp: DateTime.formatIso(now),
        api_version: "v1",
        test: after.test,
        data: encodeCall(call)
      })
    }
  }

// A call can dial more than once, when nothing was sent the first time; the instant tells those steps apart.
const eventId = (callId: CallId, kind: SubscribableKind, now: DateTime.Utc): EventId =>
  isTerminal(kind)
    ? terminalEventId(callId)
    : EventId.make(
      `${terminalEventId(callId)}${kind === "call.dialing" ? "D" : "P"}${now.epochMilliseconds.toString(36)}`
    )
