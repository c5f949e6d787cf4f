/**
 * The call that a request makes, or why it makes none. Pure: single calls and the rows of batches are judged alike, from what
 * storage knows when it commits.
 */
import { DateTime, Duration, Result } from "effect"
import type { Account } from "../domain/Account.ts"
import type { Agent } from "../domain/Agent.ts"
import type { CallRecord, StartCall } from "../domain/Call.ts"
import { AgentNotFound, InvalidRequest, MissingVariables, NumberNotAllowed } from "../domain/Errors.ts"
import type { CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import { sample, sampleTranscript } from "../ports/OutcomeSource.ts"
import type { Assessment } from "../ports/PhoneNumbers.ts"
import * as Script from "../rules/Script.ts"
import { agentBrief } from "./AgentBrief.ts"

/** A request whose number has its canonical form. */
export type CanonicalRequest = StartCall & { readonly phoneNumber: PhoneNumber }

/** The request with what it leaves out filled in, so that requests which mean the same are the same. */
export const normalized = (request: CanonicalRequest): CanonicalRequest => ({
  ...request,
  contact: request.contact ?? {},
  variables: request.variables ?? {},
  metadata: request.metadata ?? {},
  test: request.test ?? false
})

export type PlanRefusal = InvalidRequest | AgentNotFound | MissingVariables | NumberNotAllowed

export interface PlanOptions {
  readonly id: CallId
  readonly now: DateTime.Utc
  readonly request: CanonicalRequest
  readonly assessment: Assessment
  readonly account: Account
  readonly agent: Agent | undefined
}

/** What is wrong with the number in itself. */
export const impossibleNumber = new InvalidRequest({
  problems: [{ path: ["phoneNumber"], message: "is not a telephone number that its country can have" }]
})

/** The call, queued, or ended at once when it is a test. */
export const planCall = (options: PlanOptions): Result.Result<CallRecord, PlanRefusal> => {
  const { account, agent, assessment, id, now, request } = options
  const { agentId, contact = {}, metadata = {}, phoneNumber, test = false, variables = {} } = request
  const times = waitingTimes(request, now)
  if (Result.isFailure(times)) return Result.fail(times.failure)
  if (agent === undefined) return Result.fail(new AgentNotFound({ agentId }))
  const missing = Script.missing(agent, variables)
  if (missing.length > 0) return Result.fail(new MissingVariables({ missing }))
  if (assessment._tag === "Premium") {
    return Result.fail(new NumberNotAllowed({ why: "is a premium-rate number, which is never called" }))
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
    ...times.success,
    unavailableCount: 0,
    hasRecording: false,
    outcome: null,
    outcomeState: "none"
  }
  return Result.succeed(test ? endedAtOnce(call, agent, now) : call)
}

/** When the call is due and when it expires, from what the request asks for. */
const waitingTimes = (
  { expiresAt, notBefore }: CanonicalRequest,
  now: DateTime.Utc
): Result.Result<Pick<CallRecord, "dueAt" | "expiresAt" | "statusCode">, InvalidRequest> => {
  const isHeld = notBefore !== undefined && DateTime.isGreaterThan(notBefore, now)
  const dueAt = isHeld ? notBefore : now
  const farthest = DateTime.addDuration(now, Limits.farthestAhead)
  const days = Duration.toDays(Limits.farthestAhead)
  if (DateTime.isGreaterThan(dueAt, farthest)) return invalid("notBefore", `must be within ${days} days`)
  if (expiresAt !== undefined && DateTime.isGreaterThan(expiresAt, farthest)) {
    return invalid("expiresAt", `must be within ${days} days`)
  }
  if (expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, dueAt)) {
    return invalid("expiresAt", `must be later than ${isHeld ? "not_before" : "now"}`)
  }
  return Result.succeed({
    dueAt,
    // The time to live runs from when the call may be dialed: one asked for next month does not expire before.
    expiresAt: expiresAt ?? DateTime.addDuration(dueAt, Limits.queueTtl),
    ...(isHeld && { statusCode: "not_before" as const })
  })
}

const invalid = (field: string, message: string) =>
  Result.fail(new InvalidRequest({ problems: [{ path: [field], message }] }))

const endedAtOnce = (call: CallRecord, agent: Agent, now: DateTime.Utc): CallRecord => {
  const brief = agentBrief(agent, call)
  const { statusCode: _, ...ended } = call
  return {
    ...ended,
    status: "completed",
    endedAt: now,
    outcomeState: "stored",
    outcome: sample({ callId: call.id, agent: brief, contact: call.contact, transcript: sampleTranscript(brief) })
  }
}
