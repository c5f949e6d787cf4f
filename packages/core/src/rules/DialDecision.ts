/**
 * Decides what becomes of one due call at this instant. Pure, so that it can run inside the transaction that claims:
 * the facts it is given are the facts that hold when the claim commits.
 */
import { DateTime } from "effect"
import type { Account } from "../domain/Account.ts"
import type { CallRecord } from "../domain/Call.ts"
import type { StatusCode } from "../domain/StatusCode.ts"

/** What the rules know when they look at a call. */
export interface DialFacts {
  readonly now: DateTime.Utc
  readonly account: Account
  /** All calling is stopped, whatever the account says. */
  readonly deploymentPaused: boolean
  /** Lines that are free, those just given to earlier calls of this claim taken off. */
  readonly freeLines: number
}

/**
 * `hold` moves the call to a later instant; `wait` leaves it due, for when a line or the account is free again, and with it
 * all that stands behind it.
 */
export type DialDecision =
  | { readonly _tag: "dial" }
  | { readonly _tag: "wait"; readonly code: StatusCode }
  | { readonly _tag: "hold"; readonly until: DateTime.Utc; readonly code: StatusCode }
  | { readonly _tag: "end"; readonly status: "canceled" | "expired"; readonly code: StatusCode }

/** A rule speaks up when it forbids the dial. The first that does decides. */
type Rule = (call: CallRecord, facts: DialFacts) => DialDecision | undefined

const expiry: Rule = (call, { now }) =>
  DateTime.isLessThanOrEqualTo(call.expiresAt, now)
    ? { _tag: "end", status: "expired", code: "queue_expired" }
    : undefined

const pause: Rule = (_, { account, deploymentPaused }) =>
  account.paused || deploymentPaused ? { _tag: "wait", code: "account_paused" } : undefined

const dueNow: Rule = (call, { now }) =>
  DateTime.isGreaterThan(call.dueAt, now)
    ? { _tag: "hold", until: call.dueAt, code: call.statusCode ?? "not_before" }
    : undefined

const lines: Rule = (_, { freeLines }) => freeLines > 0 ? undefined : { _tag: "wait", code: "lines_busy" }

const rules: ReadonlyArray<Rule> = [expiry, pause, dueNow, lines]

/** The verdict on one call. Lines come last: a call that may not be dialed anyway never waits for one. */
export const decide = (call: CallRecord, facts: DialFacts): DialDecision => {
  for (const rule of rules) {
    const decision = rule(call, facts)
    if (decision !== undefined) return decision
  }
  return { _tag: "dial" }
}
