/** The progress of a campaign: from the engine, and from the events that the clinic's receiver got. */
import { Batches, type Call, Calls, type Errors, type SimulatedTelephony } from "@outdial/core"
import { type DateTime, Effect, Option } from "effect"
import type { Campaign, City } from "./Campaign.ts"

export interface BatchProgress {
  readonly city: City
  readonly total: number
  readonly ended: number
  readonly live: number
  /** Why one of the waiting calls waits, and until when. */
  readonly waiting: Option.Option<{ readonly code: string; readonly until?: DateTime.Utc }>
}

export interface Progress {
  readonly at: DateTime.Utc
  readonly batches: ReadonlyArray<BatchProgress>
  readonly linesInUse: number
  /** How many calls have ended in each status. */
  readonly ends: ReadonlyMap<Call.CallStatus, number>
  readonly events: Events
  readonly rings: ReadonlyArray<SimulatedTelephony.Ring>
}

/** The deliveries to the receiver. */
export interface Events {
  /** Distinct events. */
  readonly received: number
  /** Repeated deliveries of an event. */
  readonly repeated: number
  /** Deliveries whose signature did not verify. */
  readonly refused: number
}

const isLive = ["dialing", "in_progress"] as const
const ends = ["completed", "no_answer", "busy", "failed", "canceled", "expired"] as const

export const read = Effect.fnUntraced(function*(
  { accountId, batches: started }: Campaign,
  observed: Pick<Progress, "at" | "events" | "rings">
): Effect.fn.Return<Progress, Errors.NotFound | Errors.Unavailable, Batches.Batches | Calls.Calls> {
  const batches = yield* Batches.Batches
  const calls = yield* Calls.Calls
  const endsOf = new Map<Call.CallStatus, number>()
  const progress = yield* Effect.forEach(started, ({ city, id }) =>
    Effect.gen(function*() {
      const { acceptedCount, counts } = yield* batches.get(accountId, id)
      for (const status of ends) endsOf.set(status, (endsOf.get(status) ?? 0) + counts[status])
      const page = { limit: 1, after: Option.none() }
      const { items: [waiting] } = yield* calls.list(accountId, { batchId: id, statuses: ["queued"] }, page).pipe(
        // Only a phone number can be invalid, and the query has none.
        Effect.catchTag("InvalidRequest", Effect.die)
      )
      const row: BatchProgress = {
        city,
        total: acceptedCount,
        ended: ends.reduce((sum, status) => sum + counts[status], 0),
        live: isLive.reduce((sum, status) => sum + counts[status], 0),
        waiting: Option.map(Option.fromUndefinedOr(waiting), ({ scheduledFor, statusCode }) => ({
          code: statusCode ?? "due",
          ...(scheduledFor !== undefined && { until: scheduledFor })
        }))
      }
      return row
    }))
  const all: Progress = {
    ...observed,
    batches: progress,
    linesInUse: progress.reduce((sum, { live }) => sum + live, 0),
    ends: endsOf
  }
  return all
})

/** Whether every call has ended and its event has been delivered. */
export const isFinished = ({ batches, events }: Progress): boolean =>
  batches.every(({ ended, total }) => ended === total) &&
  events.received === batches.reduce((sum, { total }) => sum + total, 0)
