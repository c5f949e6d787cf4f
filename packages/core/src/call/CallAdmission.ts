/**
 * Decides whether a request becomes a call. Pure: single calls and rows of batches follow the same rules, with the
 * facts that hold when storage commits.
 */
import { DateTime, Duration, Result } from "effect"
import type { Agent } from "../domain/Agent.ts"
import type { CallRecord, StartCall } from "../domain/Call.ts"
import {
  AgentNotFound,
  CallAlreadyQueued,
  InvalidRequest,
  MissingVariables,
  NumberDoNotCall,
  NumberLimitReached,
  NumberNotAllowed
} from "../domain/Errors.ts"
import type { CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { StatusCode } from "../domain/StatusCode.ts"
import { sample, sampleTranscript } from "../outcome/OutcomeSource.ts"
import type { Possible } from "../phone-number/PhoneNumbers.ts"
import type { DialRules } from "../rules/policy/DialDecision.ts"
import type { DialFacts } from "../rules/policy/DialFacts.ts"
import type { Rule } from "../rules/policy/TimeRules.ts"
import * as Script from "../rules/call/Script.ts"
import * as Timetable from "../rules/policy/Timetable.ts"
import { agentBrief } from "../rules/call/AgentBrief.ts"

/** A request with its number in canonical form. */
export type CanonicalRequest = Omit<StartCall, "phoneNumber"> & { readonly phoneNumber: PhoneNumber }

/** The request with all defaults filled in, so that equivalent requests are equal. */
export const normalized = (request: CanonicalRequest): CanonicalRequest => ({
  ...request,
  contact: request.contact ?? {},
  variables: request.variables ?? {},
  metadata: request.metadata ?? {},
  test: request.test ?? false
})

export type PlanRefusal =
  | InvalidRequest
  | AgentNotFound
  | MissingVariables
  | NumberNotAllowed
  | NumberDoNotCall
  | CallAlreadyQueued
  | NumberLimitReached

export interface PlanOptions {
  readonly id: CallId
  readonly request: CanonicalRequest
  readonly assessment: Possible
  readonly facts: DialFacts
  readonly agent: Agent | undefined
  readonly admission: AdmissionRules
}

/** What admission needs besides the facts. */
export interface AdmissionRules {
  readonly rules: DialRules
  readonly isKnownZone: (zone: string) => boolean
}

/** What makes the number itself unusable. */
export const impossibleNumber = new InvalidRequest({
  problems: [{ path: ["phoneNumber"], message: "is not a telephone number that its country can have" }]
})

/** The call, queued, or ended at once when it is a test. */
export const planCall = (options: PlanOptions): Result.Result<CallRecord, PlanRefusal> => {
  const { agent, assessment, facts: { account, now }, id, admission, request } = options
  const { agentId, contact = {}, metadata = {}, phoneNumber, test = false, variables = {} } = request
  const times = waitingTimes(request, now)
  if (Result.isFailure(times)) return Result.fail(times.failure)
  if (contact.timeZone !== undefined && !admission.isKnownZone(contact.timeZone)) {
    return invalid(["contact", "timeZone"], "must be the name of a time zone, such as Europe/Paris")
  }
  if (agent === undefined || agent.archivedAt !== undefined) return Result.fail(new AgentNotFound({ agentId }))
  const missing = Script.missing(agent, variables)
  if (missing.length > 0) return Result.fail(new MissingVariables({ missing }))
  if (assessment._tag === "Premium") {
    return Result.fail(new NumberNotAllowed({ why: premium }))
  }
  const call: CallRecord = {
    id,
    accountId: account.id,
    agentId,
    agentVersion: agent.version,
    batchId: null,
    test,
    phoneNumber,
    contact,
    variables,
    metadata,
    status: "queued",
    createdAt: now,
    lane: admission.rules.laneOf(account, {
      agentId,
      contact,
      phoneNumber,
      ...(agent.callerId !== undefined && { callerId: agent.callerId })
    }),
    ...times.success,
    unavailableCount: 0,
    hasRecording: false,
    outcome: null,
    outcomeState: "none"
  }
  // A test rings no phone, so no rule about phones applies to it.
  return test ? Result.succeed(endedAtOnce(call, agent, now)) : queued(call, options)
}

/** The call with the instant from which it is due, unless a rule refuses it. */
const queued = (
  call: CallRecord,
  { assessment, facts, admission }: PlanOptions
): Result.Result<CallRecord, PlanRefusal> => {
  const timeRules = admission.rules.timeRules(call, facts)
  const refused = refusal({ assessment, facts, timeRules })
  if (refused !== undefined) return Result.fail(refused)
  // Calling hours and the daily limit hold lanes and accounts. The remaining rules hold the call itself.
  const rules = timeRules.filter(({ holds }) => holds === "call")
  const { dueAt = call.dueAt, reason } = Timetable.earliest(rules, facts.now)
  if (reason === undefined) return Result.succeed({ ...call, dueAt })
  return Result.succeed({
    ...call,
    dueAt,
    statusCode: reason,
    holds: [{ at: facts.now, code: reason, until: dueAt }]
  })
}

/** Why a call to the number is not accepted at this moment; `undefined` when it is. */
export const refusal = (
  { assessment, facts, timeRules }: {
    readonly assessment: Possible
    readonly facts: DialFacts
    /** Of the call. */
    readonly timeRules: ReadonlyArray<Rule>
  }
): NumberNotAllowed | NumberDoNotCall | CallAlreadyQueued | NumberLimitReached | undefined => {
  const { now, number } = facts
  if (assessment._tag === "Premium") return new NumberNotAllowed({ why: premium })
  const why = timeRules.find(({ why }) => why !== undefined)?.why
  if (why !== undefined) return new NumberNotAllowed({ why })
  if (number.doNotCall) return new NumberDoNotCall()
  const { binding, dueAt, reason } = Timetable.earliest(timeRules, now)
  if (dueAt === undefined && reason !== undefined && !isTemporary(reason)) {
    return new NumberNotAllowed({ why: never(binding) })
  }
  if (number.waitingCallId !== undefined) return new CallAlreadyQueued({ callId: number.waitingCallId })
  const retryAt = timeRules.find(({ code }) => code === "number_limit")?.nextAllowed(now)
  return retryAt !== undefined && DateTime.isGreaterThan(retryAt, now) ? new NumberLimitReached({ retryAt }) : undefined
}

/** The end of the hold is unknown, but it may end: such a call is queued. */
const isTemporary = (code: StatusCode): boolean => code === "unknown_time_zone" || code === "rule_failed"

const premium = "is a premium-rate number, which is never called"

const never = (codes: ReadonlyArray<StatusCode>): string =>
  `could not be called at any time within a year; your policy leaves none (${codes.join(", ")})`

/** When the call is due and when it expires, as the request asks. */
export const waitingTimes = (
  { expiresAt, notBefore }: Pick<CanonicalRequest, "expiresAt" | "notBefore">,
  now: DateTime.Utc
): Result.Result<Pick<CallRecord, "dueAt" | "expiresAt" | "notBefore">, InvalidRequest> => {
  const isHeld = notBefore !== undefined && DateTime.isGreaterThan(notBefore, now)
  const dueAt = isHeld ? notBefore : now
  if (isHeld && isTooFar(dueAt, now)) return invalid(["notBefore"], tooFar)
  if (expiresAt !== undefined && isTooFar(expiresAt, now)) return invalid(["expiresAt"], tooFar)
  if (expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, dueAt)) {
    return invalid(["expiresAt"], `must be later than ${isHeld ? "notBefore" : "now"}`)
  }
  return Result.succeed({
    dueAt,
    // The time to live starts when the call may first be dialed, so that a call for next month does not expire earlier.
    expiresAt: expiresAt ?? DateTime.addDuration(dueAt, Limits.queueTtl),
    ...(isHeld && { notBefore })
  })
}

const isTooFar = (at: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(at, DateTime.addDuration(now, Limits.farthestAhead))

const tooFar = `must be within ${Duration.toDays(Limits.farthestAhead)} days`

const invalid = (path: ReadonlyArray<string>, message: string) =>
  Result.fail(new InvalidRequest({ problems: [{ path, message }] }))

const endedAtOnce = (call: CallRecord, agent: Agent, now: DateTime.Utc): CallRecord => {
  const brief = agentBrief(agent, call)
  return {
    ...call,
    status: "completed",
    endedAt: now,
    outcomeState: "stored",
    outcome: sample({ agent: brief, transcript: sampleTranscript(brief) })
  }
}
