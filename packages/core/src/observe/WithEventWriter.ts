/**
 * Records the events of calls where services write them: each written end is counted, and each event is noted in the trace
 * of its call.
 */
import { type DateTime, Effect } from "effect"
import type { CallRecord, RecordingLink } from "../domain/Call.ts"
import { type EventRecord, type EventWriter, isTerminal } from "../domain/Event.ts"
import type { CallId, EventId } from "../domain/Ids.ts"
import { eventWriter } from "../rules/event/EventBodies.ts"
import * as CallTrace from "./CallTrace.ts"
import * as Metrics from "./Metrics.ts"

interface Written {
  readonly event: EventRecord
  readonly call: CallRecord
}

/**
 * Runs a unit of work of the storage with the writer for events at `now`, and records the written events when it has
 * succeeded. In a host's transaction that is when they are written, even if the transaction is rolled back.
 */
export const withEventWriter = <A, E, R>(
  { now, recordings }: { readonly now: DateTime.Utc; readonly recordings?: ReadonlyMap<CallId, RecordingLink> },
  unitOfWork: (events: EventWriter) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const write = eventWriter(now, recordings)
    // By id, because a unit of work that the storage repeats writes its events again.
    const written = new Map<EventId, Written>()
    const events: EventWriter = (change, kind) => {
      const event = write(change, kind)
      written.set(event.id, { event, call: change.after })
      return event
    }
    return Effect.tap(unitOfWork(events), () => Effect.forEach(written.values(), record, { discard: true }))
  })

const record = Effect.fnUntraced(function*({ call, event }: Written) {
  yield* CallTrace.mark(event.id, "Call.event", { "event.id": event.id, "event.type": event.type, status: call.status })
  if (isTerminal(event.type)) yield* Metrics.ended(call)
})
