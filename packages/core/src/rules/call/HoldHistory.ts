/**
 * The holds of a call, in the order of time. A hold of the call alone is added when it is decided. One of its lane, its account or the deployment
 * holds many calls, which are not written for it: it is added when the call is written the next time. Short waits are left out.
 */
import { DateTime } from "effect"
import type { CallState, Hold, PastHold } from "../../domain/Call.ts"
import * as Limits from "../../domain/Limits.ts"
import type { DialDecision } from "../policy/DialDecision.ts"
import * as HoldPeriods from "./HoldPeriods.ts"

/** Why a call returns to the queue: in all cases but `carrier_unavailable` it just waits. */
export type ReturnReason = "carrier_not_authorized" | "carrier_unavailable" | "not_submitted" | "dial_deadline_passed"

/** The holds with one more; the same if it is the last one still. Of too many, those between the first and the newest are counted. */
export const add = (
  holds: ReadonlyArray<PastHold> | undefined = [],
  hold: PastHold
): ReadonlyArray<PastHold> => {
  const last = holds.at(-1)
  if (last !== undefined && isSame(last, hold)) return holds
  const all = [...holds, last === undefined ? hold : { ...hold, at: DateTime.max(last.at, hold.at) }]
  const { first, newest } = Limits.holdsOfCall
  const [left, next, ...others] = all.slice(first)
  return left === undefined || next === undefined || all.length <= first + newest
    ? all
    : [...all.slice(0, first), { ...next, omitted: (left.omitted ?? 0) + 1 }, ...others]
}

/** The holds after the rules have decided to hold the call. */
export const addDecision = (
  holds: ReadonlyArray<PastHold> | undefined,
  { code, isOpenEnded, until }: Extract<DialDecision, { readonly _tag: "hold" }>,
  now: DateTime.Utc
): ReadonlyArray<PastHold> => add(holds, { at: now, code, ...(isOpenEnded !== true && { until }) })

/** The call that returns to the queue. A carrier that refuses the operator's account was paused before. */
export const addReturn = <C extends CallState>(
  call: C,
  { now, reason }: { readonly now: DateTime.Utc; readonly reason: ReturnReason }
): C =>
  reason === "carrier_not_authorized"
    ? { ...call, holds: add(call.holds, { at: now, code: "carrier_paused" }) }
    : call

/** The call whose latest hold ends now at the latest: it is dialed, or decided by another plan. */
export const endLatest = <C extends CallState>(call: C, now: DateTime.Utc): C => {
  const last = call.holds?.at(-1)
  if (call.holds === undefined || last === undefined || (last.until !== undefined && !isLater(last.until, now))) {
    return call
  }
  return { ...call, holds: [...call.holds.slice(0, -1), { ...last, until: DateTime.max(last.at, now) }] }
}

/** The call with what has held it together with others, since it was due or written last. */
export const withShared = <C extends CallState>(
  call: C,
  { account, deployment, lanes }: HoldPeriods.SharedPeriods,
  now: DateTime.Utc
): C => {
  const from = (call.holds ?? []).reduce(
    (at, { until }) => until === undefined || isLater(until, now) ? at : DateTime.max(at, until),
    DateTime.max(call.createdAt, call.dueAt)
  )
  const closed = [...deployment, ...lanes.get(call.lane) ?? []]
  // Where its lane is closed, a call waits for no line.
  const waits = account.flatMap((period) =>
    period.code === "account_paused" ? [period] : HoldPeriods.outside(period, closed)
  )
  const found = [...closed, ...waits]
    .map(({ code, since, until = now }) => ({
      code,
      since: DateTime.max(since, from),
      until: DateTime.min(until, now)
    }))
    .filter((period) => HoldPeriods.isLong(period))
    .sort((one, other) => DateTime.Order(one.since, other.since))
  if (found.length === 0) return call
  return { ...call, holds: found.reduce((holds, period) => continued(holds, period, call), call.holds ?? []) }
}

/** The holds with the period, which may continue an earlier hold: not one from before a dial, after which the call was due again. */
const continued = (
  holds: ReadonlyArray<PastHold>,
  { code, since, until }: Required<HoldPeriods.HoldPeriod>,
  { dueAt }: CallState
): ReadonlyArray<PastHold> => {
  const known = holds.findLast((hold) => hold.code === code)
  const end = known?.until
  return end === undefined || isLater(since, end) || isLater(dueAt, end)
    ? add(holds, { at: since, code, until })
    : holds.map((hold) => hold === known ? { ...hold, until: DateTime.max(end, until) } : hold)
}

const isLater = (one: DateTime.Utc, other: DateTime.Utc) => DateTime.isGreaterThan(one, other)

/** The same reason, until about the same instant. */
const isSame = (one: Hold, other: Hold): boolean => {
  if (one.code !== other.code) return false
  if (one.until === undefined || other.until === undefined) return one.until === other.until
  return Math.abs(one.until.epochMilliseconds - other.until.epochMilliseconds) < sameInstant
}

/** A minute, in milliseconds: times are shown by the minute. */
const sameInstant = 60_000
