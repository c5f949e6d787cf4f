/** Applies a set of carrier reports to their calls. Storage writes the result in one unit of work. */
import type { DateTime } from "effect"
import { type CallState, isFinal } from "../../domain/Call.ts"
import type { CarrierEvent } from "../../domain/CarrierEvent.ts"
import type { Step } from "../../domain/Event.ts"
import type { CallId, CarrierCallId } from "../../domain/Ids.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import * as CallLife from "../call/CallLife.ts"

export interface LineReport {
  readonly callId: CallId
  readonly carrierCallId?: CarrierCallId
  readonly event: CarrierEvent
}

/**
 * What became of a report. The provider ends a call whose report was answered with `hang_up`, `unknown` or `twin`. A `twin` is a second
 * carrier call for the same call. The provider deletes the recording whose report was answered with `discard`.
 */
export type Answer = "changed" | "ignored" | "discard" | "hang_up" | "unknown" | "twin"

export interface Applied<C extends CallState> {
  /** One for each report, in their order. */
  readonly answers: ReadonlyArray<Answer>
  /** In the order in which they happened; a call may change more than once. */
  readonly changes: ReadonlyArray<Step<C>>
  /** Numbers of calls that have ended: calls that wait for them are reconsidered. */
  readonly freed: ReadonlyArray<PhoneNumber>
}

/** Applies the reports in order, each to the state after those before it. */
export const apply = <C extends CallState>(
  calls: ReadonlyMap<CallId, C>,
  reports: ReadonlyArray<LineReport>,
  now: DateTime.Utc
): Applied<C> => {
  const changed = new Map<CallId, C>()
  const changes: Array<Step<C>> = []
  const answers = reports.map(({ callId, carrierCallId, event }): Answer => {
    const before = changed.get(callId) ?? calls.get(callId)
    if (before === undefined) {
      if (event._tag === "Charged" || event._tag === "NotRecorded") return "ignored"
      return event._tag === "Recorded" ? "discard" : "unknown"
    }
    const result = CallLife.reported(before, event, now, carrierCallId)
    if (result._tag === "Ignored") return "ignored"
    if (result._tag === "Discard") return "discard"
    if (result._tag === "HangUp") return "hang_up"
    if (result._tag === "Twin") return "twin"
    changed.set(callId, result.call)
    // The file of a recording that came with the end is there, also when the call must have none: storage sees that it loses one.
    const loses = event._tag === "Ended" && event.recorded && !result.call.hasRecording
    changes.push({ before: loses ? { ...before, hasRecording: true } : before, after: result.call })
    return result.hangUp === true ? "hang_up" : "changed"
  })
  return {
    answers,
    changes,
    freed: changes.flatMap(({ after, before }) =>
      isFinal(after.status) && !isFinal(before.status) ? [after.phoneNumber] : []
    )
  }
}
