/** Explains a call, or one that might be started: the same rules on the same facts as the claim, rule by rule. */
import { DateTime, Schema, String as Str } from "effect"
import { type CallRecord, endReason, type Hold } from "../../domain/Call.ts"
import type { DecisionBasis } from "../../domain/DecisionBasis.ts"
import type { Explanation, Verdict } from "../../domain/Explanation.ts"
import * as Lane from "../../domain/Lane.ts"
import * as Limits from "../../domain/Limits.ts"
import * as Policy from "../../domain/Policy.ts"
import * as StatusCode from "../../domain/StatusCode.ts"
import * as Basis from "../policy/Basis.ts"
import { currentHold, type DialRules, isCarrierMissing, isCarrierPaused, nextSlot } from "../policy/DialDecision.ts"
import type { DialFacts } from "../policy/DialFacts.ts"
import type { Candidate } from "../policy/TimeRules.ts"

/** Why a request for the call would be refused at this moment. */
export interface Refusal {
  readonly code: NonNullable<Explanation["code"]>
  readonly message: string
}

/** The present state of the call; for a call that is no longer waiting, the rules as they were when it was dialed or ended. */
export const ofCall = (rules: DialRules, call: CallRecord, facts: DialFacts): Explanation => {
  const known = { callId: call.id, callStatus: call.status, ...head(call, facts) }
  if (call.status === "queued") return { ...known, ...waiting(rules, call, facts, currentHold(rules, call, facts)) }
  return { ...known, ...ofLive(call, facts), decision: "none", ...decided(call) }
}

/** What the rules have decided last about the call, as they were applied. */
const decided = (call: CallRecord): Pick<Explanation, "decidedAt" | "rules"> => {
  const { decision: basis, endedAt, statusCode } = call
  // The other rules were not asked.
  if (statusCode === "do_not_call" && endedAt !== undefined) {
    return { decidedAt: endedAt, rules: [{ rule: "do_not_call", allows: false, data: {} }] }
  }
  return basis !== undefined && isLast(call, basis)
    ? { decidedAt: DateTime.makeUnsafe(basis.at), rules: Basis.verdicts(call, basis) }
    : { rules: [] }
}

/** Not of an earlier dial, after which a node of an older version, or a request, decided. */
const isLast = ({ dialedAt, status }: CallRecord, { at, holding = [] }: DecisionBasis): boolean => {
  if (dialedAt !== undefined) return at === DateTime.formatIso(dialedAt)
  return status === "expired" ? holding.includes("queue_expired") : status === "failed"
}

/** For a live call its carrier, and whether no node looks after it; for an ended call why it ended. */
const ofLive = (call: CallRecord, { now }: DialFacts) => {
  const { carrier, claim } = call
  if (claim === undefined) {
    const { statusCode: code, statusReason: reason } = endReason(call)
    return { ...(code !== undefined && { code }), ...(reason !== undefined && { reason }) }
  }
  const isStranded = DateTime.isLessThan(claim.leaseUntil, DateTime.subtractDuration(now, Limits.lineLease))
  return {
    ...(carrier !== undefined && { carrier }),
    leaseExpiresAt: claim.leaseUntil,
    ...(isStranded && {
      reason: `No running worker has looked after this call since ${DateTime.formatIso(claim.leaseUntil)}. Start one` +
        (carrier === undefined ? "." : ` that has the carrier "${carrier}".`)
    })
  }
}

/** A call that is not queued. `refusal` is the error of a request for it. */
export const ofNumber = (
  rules: DialRules,
  call: Candidate,
  facts: DialFacts,
  refusal: Refusal | undefined
): Explanation => ({
  ...head(call, facts),
  ...waiting(rules, call, facts, rules.holdOf(call, facts)),
  ...(refusal !== undefined && { decision: "refuse", code: refusal.code, reason: refusal.message })
})

const head = ({ lane, phoneNumber }: Pick<CallRecord, "lane" | "phoneNumber">, { now }: DialFacts) => ({
  object: "explanation" as const,
  at: now,
  phoneNumber,
  timeZones: Lane.parts(lane).timeZones
})

const reasonOf = (code: StatusCode.StatusCode | undefined) =>
  code === undefined ? {} : { code, reason: StatusCode.reason(code) }

const waiting = (rules: DialRules, call: Candidate, facts: DialFacts, hold: Hold | undefined) => ({
  decision: hold === undefined ? "dial" as const : "wait" as const,
  ...reasonOf(hold?.code),
  ...(hold?.until !== undefined && { scheduledFor: hold.until }),
  rules: verdicts(rules, call, facts)
})

/** Every rule, in order of evaluation. */
const verdicts = (rules: DialRules, call: Candidate, facts: DialFacts): ReadonlyArray<Verdict> => {
  const { account, deploymentPaused, linesInUse, now, number, placedLastSecond } = facts
  const callsPerSecond = Policy.callsPerSecond(Policy.complete(account.policy ?? {}), account.lines)
  const slot = nextSlot(facts)
  const simple = (rule: StatusCode.StatusCode, allows: boolean, data: Verdict["data"]): Verdict => ({
    rule,
    allows,
    data
  })
  return [
    simple("queue_expired", DateTime.isGreaterThan(call.expiresAt, now), {
      expires_at: DateTime.formatIso(call.expiresAt)
    }),
    simple("do_not_call", !number.doNotCall, { listed: number.doNotCall }),
    simple("account_paused", !account.paused && !deploymentPaused, {
      account_paused: account.paused,
      deployment_paused: deploymentPaused
    }),
    simple("carrier_paused", !isCarrierPaused(call, facts), {}),
    simple("carrier_missing", !isCarrierMissing(call, facts), {}),
    simple("policy_unreadable", account.policy !== undefined, {}),
    ...rules.timeRules(call, facts).map(({ code, data, nextAllowed }): Verdict => {
      const next = nextAllowed(now)
      const allows = next?.epochMilliseconds === now.epochMilliseconds
      return { rule: code, allows, ...(!allows && next !== undefined && { nextAllowedAt: next }), data: toJson(data) }
    }),
    simple("number_busy", !number.isBusy, { busy: number.isBusy }),
    {
      ...simple("calls_per_second", !DateTime.isGreaterThan(slot, now), {
        calls_per_second: callsPerSecond,
        placed_last_second: placedLastSecond.length
      }),
      ...(DateTime.isGreaterThan(slot, now) && { nextAllowedAt: slot })
    },
    simple("lines_busy", linesInUse < account.lines, { lines: account.lines, lines_in_use: linesInUse })
  ]
}

const Data = Schema.Record(Schema.String, Schema.Json)
const decodeData = Schema.decodeUnknownSync(Data)

/** The data of a decision, as JSON: names in snake_case, instants in ISO-8601, and no absent values. */
const toJson = (data: Readonly<Record<string, unknown>>): Verdict["data"] =>
  decodeData(JSON.parse(JSON.stringify(data), (_, value: unknown) => isObject(value) ? inSnakeCase(value) : value))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const inSnakeCase = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [Str.camelToSnake(key), inner]))
