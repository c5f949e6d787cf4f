/** When what a carrier reports has happened, by our clock. */
import { DateTime } from "effect"
import type { CallState } from "../../domain/Call.ts"
import type { CarrierEvent } from "../../domain/CarrierEvent.ts"

/**
 * The report with instants between the dial and `now`. A carrier's clock may be off: an end in the future would delay
 * the outcome and the event, and one long ago would miss the outcome's deadline.
 */
export const clampedToNow = (call: CallState, event: CarrierEvent, now: DateTime.Utc): CarrierEvent => {
  if (event._tag !== "Answered" && event._tag !== "Ended") return event
  if (DateTime.between(event.at, { minimum: call.dialedAt ?? event.at, maximum: now })) return event
  if (event._tag === "Answered") return { ...event, at: now }
  const { answeredAt, at } = event
  // Both instants are from the same clock, so that the duration is unchanged.
  const answered = answeredAt && DateTime.addDuration(answeredAt, DateTime.distance(at, now))
  return { ...event, at: now, ...(answered !== undefined && { answeredAt: answered }) }
}
