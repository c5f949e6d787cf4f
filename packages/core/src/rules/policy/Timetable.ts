/**
 * Joins rules that each know when they next allow a call: the first instant that all of them allow, and the rules that
 * are the reason for a later one. Independent of what the rules are about.
 */
import { DateTime, Duration } from "effect"
import * as Limits from "../../domain/Limits.ts"

/** A rule about time. `nextAllowed` is the first instant, `at` or later, that it allows; `undefined` when it is never. */
export interface TimeRule<Code extends string> {
  readonly code: Code
  readonly nextAllowed: (at: DateTime.Utc) => DateTime.Utc | undefined
}

export interface Timetable<Code extends string> {
  /** The first instant that every rule allows; `undefined` when there is none within the horizon. */
  readonly dueAt: DateTime.Utc | undefined
  /** The first of `binding`. */
  readonly reason: Code | undefined
  /**
   * The rules, in order, that delay the instant: those violated one millisecond before `dueAt`, none when it is due
   * now. When it is never due, the rules that allow no instant.
   */
  readonly binding: ReadonlyArray<Code>
  /** The rules, in order, that forbid it now. */
  readonly blockedNow: ReadonlyArray<Code>
}

/** The first instant, `now` or later, that every rule allows. */
export const earliest = <Code extends string>(
  rules: ReadonlyArray<TimeRule<Code>>,
  now: DateTime.Utc
): Timetable<Code> => {
  const forbiddenAt = (at: DateTime.Utc) => codes(rules, (rule) => !isSame(rule.nextAllowed(at), at))
  const blockedNow = forbiddenAt(now)
  if (blockedNow.length === 0) return { dueAt: now, reason: undefined, binding: [], blockedNow }
  const last = DateTime.addDuration(now, Limits.horizon)
  const { at, found } = search(rules, now, last)
  const binding = !found
    ? codes(rules, (rule) => isNever(rule.nextAllowed(at), last))
    : isSame(at, now)
    ? []
    : forbiddenAt(DateTime.subtractDuration(at, Duration.millis(1)))
  return { dueAt: found ? at : undefined, reason: binding[0], binding, blockedNow }
}

/** The instant that all rules allow, or the last instant from which a rule allows none. */
const search = <Code extends string>(
  rules: ReadonlyArray<TimeRule<Code>>,
  now: DateTime.Utc,
  last: DateTime.Utc
): { readonly at: DateTime.Utc; readonly found: boolean } => {
  let at = now
  for (;;) {
    const before = at
    for (const rule of rules) {
      const next = rule.nextAllowed(at)
      if (next === undefined || isNever(next, last)) return { at, found: false }
      at = next
    }
    // No rule moved it any further, so every rule allows it.
    if (isSame(at, before)) return { at, found: true }
  }
}

const isSame = (one: DateTime.Utc | undefined, other: DateTime.Utc): boolean =>
  one?.epochMilliseconds === other.epochMilliseconds

const isNever = (next: DateTime.Utc | undefined, last: DateTime.Utc): boolean =>
  next === undefined || DateTime.isGreaterThan(next, last)

const codes = <Code extends string>(
  rules: ReadonlyArray<TimeRule<Code>>,
  keep: (rule: TimeRule<Code>) => boolean
): ReadonlyArray<Code> => rules.filter(keep).map(({ code }) => code)
