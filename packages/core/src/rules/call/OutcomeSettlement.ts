/** What the results of outcome work change: the calls, and the do-not-call list. Storage writes both in one unit of work. */
import type { DateTime } from "effect"
import type { CallState } from "../../domain/Call.ts"
import type { DoNotCallEntry } from "../../domain/DoNotCall.ts"
import type { Step } from "../../domain/Event.ts"
import type { CallId, ClaimToken } from "../../domain/Ids.ts"
import { type OutcomeResult, outcomeSettled } from "./CallLife.ts"

export interface Settlement<C extends CallState> {
  /** In the order of the results. */
  readonly changes: ReadonlyArray<Step<C>>
  /** Callees who asked not to be called again. */
  readonly doNotCall: ReadonlyArray<DoNotCallEntry>
}

/** Applies the results that the token still holds, each to the state after those before it. The others change nothing. */
export const settle = <C extends CallState>(
  calls: ReadonlyMap<CallId, C>,
  results: ReadonlyArray<{ readonly callId: CallId; readonly result: OutcomeResult }>,
  { now, token }: { readonly now: DateTime.Utc; readonly token: ClaimToken }
): Settlement<C> => {
  const settled = new Map<CallId, C>()
  const changes = results.flatMap(({ callId, result }): ReadonlyArray<Step<C>> => {
    const before = settled.get(callId) ?? calls.get(callId)
    const after = before && outcomeSettled(before, token, result, now)
    if (before === undefined || after === undefined) return []
    settled.set(callId, after)
    return [{ before, after }]
  })
  // Once, when the outcome is made: the owner may have removed the number when the recording comes.
  const doNotCall = changes.flatMap(({ after: { id, outcome, phoneNumber }, before }): ReadonlyArray<DoNotCallEntry> =>
    outcome?.doNotCall === true && before.outcome === null
      ? [{ phoneNumber, source: "call", callId: id, createdAt: now }]
      : []
  )
  return { changes, doNotCall }
}
