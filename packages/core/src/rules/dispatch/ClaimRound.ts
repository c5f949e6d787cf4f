/** Decides a claim's candidates in order, each by the facts after the calls before it. Pure: returns the next state. */
import type { DateTime } from "effect"
import type { CallRecord } from "../../domain/Call.ts"
import type { Step } from "../../domain/Event.ts"
import type { CarrierName, ClaimToken } from "../../domain/Ids.ts"
import { decided } from "../call/CallLife.ts"
import type { DialDecision, DialRules } from "../policy/DialDecision.ts"
import { type AccountFacts, afterDial, type NumberFacts } from "../policy/DialFacts.ts"

export interface ClaimRound {
  readonly facts: AccountFacts
  /** The changes so far, in order. */
  readonly changes: ReadonlyArray<Step<CallRecord>>
  /** How many calls were claimed. */
  readonly placed: number
  /** What the account waits for, and not only one call: the calls after it would wait for the same. */
  readonly waitsFor?: Extract<DialDecision, { readonly _tag: "wait" }>
}

export interface Options {
  readonly now: DateTime.Utc
  /** Most calls to claim. */
  readonly limit: number
  readonly token: ClaimToken
  readonly carrier: CarrierName
  readonly rules: Pick<DialRules, "decide">
}

export const start = (facts: AccountFacts): ClaimRound => ({ facts, changes: [], placed: 0 })

/** Whether no further candidate is to be decided. */
export const isOver = ({ placed, waitsFor }: ClaimRound, { limit }: Pick<Options, "limit">): boolean =>
  waitsFor !== undefined || placed >= limit

/** The round after these candidates. `numberOf` is called only for candidates that are decided. */
export const decide = (
  round: ClaimRound,
  calls: ReadonlyArray<CallRecord>,
  numberOf: (call: CallRecord) => NumberFacts,
  options: Options
): ClaimRound => {
  const changes = [...round.changes]
  let next = round
  for (const before of calls) {
    if (isOver(next, options)) break
    const decision = options.rules.decide(before, { ...next.facts, number: numberOf(before) })
    if (decision._tag === "wait") next = { ...next, waitsFor: decision }
    const after = decided(before, decision, { ...options, epoch: next.facts.account.epoch })
    if (after === undefined) continue
    changes.push({ before, after })
    if (after.status === "dialing") next = { ...next, facts: afterDial(next.facts), placed: next.placed + 1 }
  }
  return { ...next, changes }
}

/** The calls that the round has claimed. */
export const claimed = ({ changes }: ClaimRound): ReadonlyArray<CallRecord> =>
  changes.flatMap(({ after }) => after.status === "dialing" ? [after] : [])
