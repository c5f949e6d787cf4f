/**
 * Starting and reading calls. A call that is returned is stored; a request that is refused leaves nothing behind.
 */
import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { type Call, type CallRecord, fromRecord, type StartCall } from "../domain/Call.ts"
import {
  AgentNotFound,
  CallAlreadyQueued,
  CallRefused,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  InvalidRequest,
  MissingVariables,
  NotFound,
  NumberNotAllowed,
  type RefusalReason,
  type Unavailable
} from "../domain/Errors.ts"
import { canonicalJson } from "../domain/Idempotency.ts"
import { type AccountId, type CallId, makeCallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import { sample, sampleTranscript } from "../ports/OutcomeSource.ts"
import { type Assessment, PhoneNumbers } from "../ports/PhoneNumbers.ts"
import { type StartFacts, Storage } from "../ports/Storage.ts"
import { Wakeups } from "../ports/Wakeups.ts"
import * as Script from "../rules/Script.ts"
import { agentBrief } from "./AgentBrief.ts"
import { eventWriter } from "../rules/EventBodies.ts"
import { RecordingLinks } from "./RecordingLinks.ts"
import { orUnavailable } from "./Unavailable.ts"

export class Calls extends Context.Service<Calls, {
  /** Queues one call; `idempotentReplay` tells whether an earlier request with the same key had made it. */
  readonly start: (
    accountId: AccountId,
    request: StartCall,
    options?: { readonly idempotencyKey?: string }
  ) => Effect.Effect<Call, CallRefused | Unavailable>
  /** The call as it is now, with a fresh link to its recording. */
  readonly get: (accountId: AccountId, id: CallId) => Effect.Effect<Call, NotFound | Unavailable>
}>()("@outdial/core/engine/Calls") {
  static readonly layer = Layer.effect(
    Calls,
    Effect.gen(function*() {
      const storage = yield* Storage
      const numbers = yield* PhoneNumbers
      const links = yield* RecordingLinks
      const wakeups = yield* Wakeups
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom

      const shown = (record: CallRecord) => Effect.map(links.make(record), (link) => fromRecord(record, link))

      const fingerprint = (request: StartCall) =>
        // SHA-256 of text cannot fail.
        Effect.orDie(digest.digestHex(Digest.sha256, new TextEncoder().encode(canonicalJson(request))))

      const start = Effect.fn("Calls.start")(function*(
        accountId: AccountId,
        given: StartCall,
        options: { readonly idempotencyKey?: string } = {}
      ) {
        const assessment = numbers.assess(given.phoneNumber)
        if (assessment._tag === "NotPossible") return yield* refuse(impossibleNumber)
        const request = { ...given, phoneNumber: assessment.number }
        const now = yield* DateTime.now
        const id = yield* makeCallId.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        const result = yield* orUnavailable(storage.startCall({
          accountId,
          agentId: request.agentId,
          now,
          idempotency: options.idempotencyKey === undefined
            ? Option.none()
            : Option.some({ key: options.idempotencyKey, fingerprint: yield* fingerprint(request) }),
          plan: (facts) => plan({ id, now, request, assessment, facts }),
          events: eventWriter(now)
        }))
        switch (result._tag) {
          case "Started":
            yield* wakeups.notify(result.call.status === "queued" ? "dial" : "delivery", accountId)
            return { ...(yield* shown(result.call)), idempotentReplay: false }
          case "Replayed":
            return { ...(yield* shown(result.call)), idempotentReplay: true }
          case "KeyReused":
            return yield* refuse(new IdempotencyKeyReused({ callId: result.callId }))
          case "KeyInUse":
            return yield* refuse(new IdempotencyKeyInUse({}))
          case "AlreadyQueued":
            return yield* refuse(new CallAlreadyQueued({ callId: result.callId }))
          case "Refused":
            return yield* refuse(result.reason)
          default:
            return result satisfies never
        }
      })

      return Calls.of({
        start,
        get: Effect.fn("Calls.get")(function*(accountId, id) {
          const found = yield* orUnavailable(storage.getCall(accountId, id))
          return Option.isSome(found) ? yield* shown(found.value) : yield* new NotFound({ what: `call ${id}` })
        })
      })
    })
  )
}

const refuse = (reason: RefusalReason) => Effect.fail(new CallRefused({ reason }))

const impossibleNumber = new InvalidRequest({
  problems: [{ path: ["phoneNumber"], message: "is not a telephone number that its country can have" }]
})

/** The call that a request makes, from what storage knows when it commits. */
const plan = ({ assessment, facts, id, now, request }: {
  readonly id: CallId
  readonly now: DateTime.Utc
  readonly request: StartCall & { readonly phoneNumber: PhoneNumber }
  readonly assessment: Assessment
  readonly facts: StartFacts
}): Result.Result<CallRecord, RefusalReason> => {
  const { agentId, contact = {}, metadata = {}, phoneNumber, test = false, variables = {} } = request
  if (Option.isNone(facts.agent)) return Result.fail(new AgentNotFound({ agentId }))
  const agent = facts.agent.value
  const missing = Script.missing(agent, variables)
  if (missing.length > 0) return Result.fail(new MissingVariables({ missing }))
  if (assessment._tag === "Premium") {
    return Result.fail(new NumberNotAllowed({ why: "is a premium-rate number, which is never called" }))
  }
  const call: CallRecord = {
    id,
    accountId: facts.account.id,
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
    dueAt: now,
    expiresAt: DateTime.addDuration(now, Limits.queueTtl),
    unavailableCount: 0,
    hasRecording: false,
    outcome: null,
    outcomeState: "none"
  }
  if (!test) return Result.succeed(call)
  const brief = agentBrief(agent, call)
  return Result.succeed({
    ...call,
    status: "completed",
    endedAt: now,
    outcomeState: "stored",
    outcome: sample({ callId: id, agent: brief, contact, transcript: sampleTranscript(brief) })
  })
}
