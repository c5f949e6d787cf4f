/**
 * The holds of a call, in the order of time. A hold of the call alone is added when it is decided. One of its lane or of its account holds many
 * calls, which are not written for it: it is added when the call is written the next time. Short waits are left out.
 */
import { DateTime } from "effect"
import type { CallState, Hold, PastHold } from "../../domain/Call.ts"
import type { Lane } from "../../domain/Lane.ts"
import * as Limits from "../../domain/Limits.ts"
import type { StatusCode } from "../../domain/StatusCode.ts"
import type { DialDecision } from "../policy/DialDecision.ts"

/** What all calls of an account wait for since its latest claim. */
export interface AccountWait {
  readonly code: StatusCode
  readonly since: DateTime.Utc
}

/** The last time that a lane was closed. */
export interface LaneClosure {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
}

/** What has held many calls at once. */
export interface CommonHolds {
  readonly account?: AccountWait
  readonly lanes: ReadonlyMap<Lane, LaneClosure>
}

/** The holds with one more; the same if it is the last one still. Keeps the first and the newest, and the number of those between. */
export const added = (
  holds: ReadonlyArray<PastHold> | undefined = [],
  hold: PastHold
): ReadonlyArray<PastHold> => {
  const last = holds.at(-1)
  if (last !== undefined && isSame(last, hold)) return holds
  const all = [...holds, last === undefined ? hold : { ...hold, at: DateTime.max(last.at, hold.at) }]
  const { first, newest } = Limits.holdsKept
  const [left, next, ...others] = all.slice(first)
  return left === undefined || next === undefined || all.length <= first + newest
    ? all
    : [...all.slice(0, first), { ...next, omitted: (left.omitted ?? 0) + 1 }, ...others]
}

/** The holds after the rules have decided to hold the call. */
export const decided = (
  holds: ReadonlyArray<PastHold> | undefined,
  { code, isOpenEnded, until }: Extract<DialDecision, { readonly _tag: "hold" }>,
  now: DateTime.Utc
): ReadonlyArray<PastHold> => added(holds, { at: now, code, ...(isOpenEnded !== true && { until }) })

/** The call that returns to the queue. A carrier that refuses the operator's account was paused before. */
export const returned = <C extends CallState>(
  call: C,
  { now, reason }: { readonly now: DateTime.Utc; readonly reason: string }
): C =>
  reason === "carrier_not_authorized"
    ? { ...call, holds: added(call.holds, { at: now, code: "carrier_paused" }) }
    : call

/** The call with the holds of its lane and of its account, since it was due. */
export const withCommon = <C extends CallState>(call: C, { account, lanes }: CommonHolds, now: DateTime.Utc): C => {
  const closure = lanes.get(call.lane)
  // It was due while the lane was closed.
  const closed = closure !== undefined && DateTime.isLessThan(call.dueAt, closure.until) ? closure : undefined
  const dueAt = closed === undefined ? call.dueAt : DateTime.min(closed.until, now)
  const found: ReadonlyArray<PastHold> = [
    ...(closed === undefined
      ? []
      : [{ at: later(closed.since, call), code: "outside_calling_hours" as const, until: closed.until }]),
    ...(account === undefined ? [] : [{ at: DateTime.max(account.since, dueAt), code: account.code }])
  ].filter(({ at }) => isLong(at, now))
  if (found.length === 0) return call
  const holds = found.reduce<ReadonlyArray<PastHold>>(added, call.holds ?? [])
  return holds === call.holds ? call : { ...call, holds }
}

/** What the account waits for after a claim: since when it was found first. */
export const waitAfter = (
  before: AccountWait | undefined,
  code: StatusCode | undefined,
  now: DateTime.Utc
): AccountWait | undefined => {
  if (code === undefined) return undefined
  return before?.code === code ? before : { code, since: now }
}

const later = (since: DateTime.Utc, { createdAt, dueAt }: CallState) =>
  DateTime.max(since, DateTime.max(createdAt, dueAt))

const isLong = (at: DateTime.Utc, now: DateTime.Utc) =>
  DateTime.isLessThanOrEqualTo(DateTime.addDuration(at, Limits.shortestWait), now)

/** The same reason, until about the same instant. */
const isSame = (one: Hold, other: Hold): boolean => {
  if (one.code !== other.code) return false
  if (one.until === undefined || other.until === undefined) return one.until === other.until
  return Math.abs(one.until.epochMilliseconds - other.until.epochMilliseconds) < sameInstant
}

/** A minute, in milliseconds: times are shown by the minute. */
const sameInstant = 60_000
