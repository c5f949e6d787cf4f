/**
 * Makes the outcomes of completed calls and reports the calls with them. A call whose outcome cannot be made within ten
 * minutes of its end is reported without one.
 */
import { Context, DateTime, Duration, Effect, Layer, Option, Result, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import type { RecordingLink } from "../domain/Call.ts"
import { type AccountId, type CallId, type ClaimToken, makeClaimToken } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { ModelUsage } from "../domain/ModelUsage.ts"
import { type Outcome, SourceOutcome } from "../domain/Outcome.ts"
import { type Conversation, type Origin, OutcomeFailed, OutcomeSource } from "./OutcomeSource.ts"
import { carriersOf, Telephony } from "../telephony/Telephony.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import type { OutcomeResult } from "../rules/call/CallLife.ts"
import * as OutcomeEvidence from "../rules/call/OutcomeEvidence.ts"
import * as RetrySchedule from "../rules/webhook/RetrySchedule.ts"
import { agentBrief } from "../rules/call/AgentBrief.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as InFlight from "../loop/InFlight.ts"
import * as Metrics from "../observe/Metrics.ts"
import * as OutcomeSlots from "./OutcomeSlots.ts"
import { RecordingLinks } from "../recording/RecordingLinks.ts"
import { type AccountPoller, makePoller, whileStorageReturns } from "../loop/AccountPoller.ts"
import { OutcomeStore } from "./OutcomeStore.ts"
import { type ClaimedCall, WorkStore } from "../storage/WorkStore.ts"

const accountsPerRound = 32

/** Maximum number of outcomes of one account in one claim. As many as reports in one transaction: with 100, `lifecycles` has 0.92 of the rate. */
const claimLimit = 200

interface Made {
  readonly call: ClaimedCall["call"]
  readonly result: OutcomeResult
}

export class Outcomes extends Context.Service<Outcomes, {
  /** Claims the outcomes that are due and starts to make them; returns how many. Does not wait for them. */
  readonly runOnce: AccountPoller["runOnce"]
  /** The same for woken accounts, without asking storage which accounts have work. */
  readonly runFor: AccountPoller["runFor"]
  /** Returns when no outcome is in the making. */
  readonly idle: Effect.Effect<void>
}>()("@outdial/core/outcome/Outcomes") {
  static readonly layer = Layer.effect(
    Outcomes,
    Effect.gen(function*() {
      const outcomeStore = yield* OutcomeStore
      const workStore = yield* WorkStore
      const source = yield* OutcomeSource
      const links = yield* RecordingLinks
      const carriers = [...carriersOf(yield* Telephony).keys()]
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const slots = OutcomeSlots.make(Limits.outcomesPerProcess)
      const inFlight = yield* InFlight.make("Making outcomes", "20 seconds")
      const makeToken = makeClaimToken.pipe(Effect.provideService(SecureRandom.SecureRandom, random))

      const makesFor = (call: ClaimedCall["call"]) => source.makesFor?.(originOf(call)) ?? true
      // Another node may have the source. It can claim the outcome until the deadline.
      const notOurs = Effect.fail(new OutcomeFailed({ cause: "The outcome source of this process is for other calls" }))
      /** This node has the carrier and no source for it: no other node can make the outcome. */
      const isWithoutSource = (call: ClaimedCall["call"]) =>
        !makesFor(call) && carriers.length > 0 && (call.carrier === undefined || carriers.includes(call.carrier))
      // A node that neither dials nor has a source of its own would only use up time that other nodes need.
      const isIdle = carriers.length === 0 && source.makesFor !== undefined
      const warnOnce = yield* Effect.cached(Effect.logWarning(
        `The outcomes of calls of the carrier ${
          carriers.map((carrier) => `"${carrier}"`).join(" or ")
        } stay null: Outdial did not hold their conversations, and samples are ` +
          "made only for simulated calls. Give Outdial.open outcomes: OutcomeSource.layerOf(...)"
      ))

      /** The result of one outcome. If the source fails, or its outcome does not fit the agent, it is retried later. */
      const make = Effect.fnUntraced(function*({ agent, call }: ClaimedCall) {
        if (call.outcomeState === "awaiting_recording") return { call, result: { _tag: "Reported" } as const }
        if (isWithoutSource(call)) {
          yield* warnOnce
          return { call, result: { _tag: "GivenUp" } as const }
        }
        const conversation: Conversation = {
          callId: call.id,
          agent: agentBrief(agent, call),
          contact: call.contact,
          transcript: call.transcript ?? [],
          notes: call.notes ?? [],
          isHeld: originOf(call).isHeld
        }
        const made = yield* (makesFor(call) ? Effect.suspend(() => source.make(conversation)) : notOurs).pipe(
          Effect.flatMap((outcome) => fitting(outcome, conversation)),
          // A source is the host's code: its defects must not fail the other outcomes of the group.
          Effect.catchDefect((cause) => new OutcomeFailed({ cause })),
          Effect.timeoutOrElse({
            duration: timeout(call, yield* DateTime.now),
            orElse: () => new OutcomeFailed({ cause: "The outcome source did not answer in time" })
          }),
          Effect.tapError((error) => Effect.logWarning(`The outcome of ${call.id} could not be made`, error)),
          Effect.result
        )
        if (Result.isSuccess(made)) return { call, result: stored(made.success) }
        const { usage = [] } = made.failure
        const now = yield* DateTime.now
        const at = retryAt(made.failure, call.endedAt ?? now, now)
        if (at !== undefined) return { call, result: { _tag: "RetryAt", at, usage } as const }
        const outcome = yield* (makesFor(call) ? fallback(conversation) : Effect.undefined)
        return { call, result: outcome === undefined ? { _tag: "GivenUp", usage } as const : stored(outcome, usage) }
      })

      /** What the source has for an outcome that cannot be made; none if that fails, too. */
      const fallback = (conversation: Conversation) =>
        Effect.suspend(() => {
          const outcome = source.fallback?.(conversation)
          return outcome === undefined ? Effect.undefined : fitting(outcome, conversation)
        }).pipe(Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning(`The outcome of ${conversation.callId} has no fallback`, cause), undefined)
        ))

      const settle = Effect.fn("Outcomes.settle")(function*(
        accountId: AccountId,
        token: ClaimToken,
        made: ReadonlyArray<Made>
      ) {
        const recordings = new Map<CallId, RecordingLink>()
        for (const { call } of made) {
          // An announced recording may have come since the claim. Otherwise the event does not show the link.
          const hasRecording = call.hasRecording || call.recordingDueAt !== undefined
          const link = yield* links.make({ ...call, hasRecording })
          if (Option.isSome(link)) recordings.set(call.id, link.value)
        }
        const results = made.map(({ call, result }) => ({ callId: call.id, result }))
        yield* Effect.flatMap(
          DateTime.now,
          (now) =>
            withEventWriter(
              { now, recordings },
              (events) => outcomeStore.settle({ accountId, token, now, results, events })
            )
        ).pipe(Effect.retry(whileStorageReturns))
        yield* Effect.forEach(
          results,
          ({ result: { _tag } }) => _tag === "Reported" ? Effect.void : Metrics.outcome(_tag),
          { discard: true }
        )
        if (results.some(({ result }) => result._tag !== "RetryAt")) yield* wakeups.notify("delivery", accountId)
      })

      const release = (accountId: AccountId, count: number) =>
        Effect.suspend(() => {
          slots.release(accountId, count)
          return Effect.forEach(slots.admitWaiting(), (called) => wakeups.wake("outcome", called), { discard: true })
        })

      /**
       * An outcome holds a slot while it is made, but not while it is written; otherwise the ends of calls would outrun a fast source.
       */
      const makeClaimed = (accountId: AccountId, token: ClaimToken, claimed: ReadonlyArray<ClaimedCall>) =>
        Effect.suspend(() => {
          // Written in the groups that are ready: no outcome waits for a slower one.
          const made: Array<Made> = []
          const turn = Semaphore.makeUnsafe(1)
          const settleMade = Effect.suspend(() =>
            made.length === 0
              ? Effect.void
              // Other outcomes may become ready at the same time.
              : Effect.flatMap(Effect.yieldNow, () => settle(accountId, token, made.splice(0)))
          )
          return Effect.forEach(
            claimed,
            (claim) =>
              inFlight.run(
                CallTrace.step(claim.call.id, "Outcomes.make")(make(claim)).pipe(
                  Effect.ensuring(release(accountId, 1)),
                  Effect.flatMap((result) => {
                    made.push(result)
                    return turn.withPermit(settleMade)
                  })
                )
              ),
            { discard: true }
          )
        })

      /** Claims outcomes for the account's free slots, and starts to make them. */
      const claim = Effect.fnUntraced(function*(accountId: AccountId) {
        if (isIdle) return 0
        const limit = slots.acquire(accountId, claimLimit)
        const token = yield* makeToken
        const claimed = limit === 0 ? [] : yield* Effect.flatMap(
          DateTime.now,
          (now) => outcomeStore.claim({ accountId, now, limit, token })
        ).pipe(Effect.onError(() => release(accountId, limit)))
        // There may be more outcomes than slots.
        if (claimed.length === limit && limit < claimLimit) slots.wait(accountId)
        yield* release(accountId, limit - claimed.length)
        yield* makeClaimed(accountId, token, claimed)
        return claimed.length
      }, Effect.uninterruptible)

      return Outcomes.of({
        ...(yield* makePoller(
          workStore,
          { kind: "outcome", limit: accountsPerRound, group: claimLimit },
          claim
        )),
        idle: inFlight.idle
      })
    })
  )
}

/** How long a source may take: less than the lease, and not beyond the deadline by which the call is reported. */
const timeout = ({ endedAt, outcomeDueAt }: ClaimedCall["call"], now: DateTime.Utc): Duration.Duration => {
  const lease = Duration.times(Limits.outcomeLease, 0.8)
  if (endedAt === undefined) return lease
  // The first attempt: the end was reported late, or no node was running. Without a full timeout the transcript would get no outcome.
  if (outcomeDueAt !== undefined && DateTime.isLessThanOrEqualTo(outcomeDueAt, endedAt)) return lease
  const deadline = DateTime.addDuration(endedAt, Limits.outcomeDeadline)
  // The last attempt starts at the deadline and gets a second: a fast source may still make it.
  return DateTime.isLessThan(now, deadline)
    ? Duration.min(lease, Duration.max(DateTime.distance(now, deadline), Duration.seconds(1)))
    : Duration.seconds(1)
}

const originOf = ({ carrier, conversation }: ClaimedCall["call"]): Origin => ({
  isHeld: conversation !== undefined,
  ...(carrier !== undefined && { carrier })
})

const decodeOutcome = Schema.decodeUnknownEffect(SourceOutcome)

/** The outcome with its evidence checked, if it is valid and its disposition is one of the agent's. */
const fitting = (outcome: SourceOutcome, conversation: Conversation) =>
  decodeOutcome(outcome).pipe(
    Effect.mapError((cause) => new OutcomeFailed({ cause })),
    Effect.filterOrFail(
      ({ disposition }) => conversation.agent.dispositions.includes(disposition),
      ({ disposition }) => new OutcomeFailed({ cause: `The agent has no disposition "${disposition}"` })
    ),
    Effect.map((outcome) => OutcomeEvidence.checked(outcome, conversation))
  )

/** The outcome, with what was taken for it and for attempts before. */
const stored = (outcome: Outcome, before: ReadonlyArray<ModelUsage> = []): OutcomeResult => ({
  _tag: "Stored",
  outcome,
  usage: [...before, ...outcome.evidence?.usage ?? []]
})

/** When to try again; `undefined` if that is of no use, or would come after the deadline. */
const retryAt = (
  { isFinal = false, retryAfter = Duration.zero }: OutcomeFailed,
  endedAt: DateTime.Utc,
  now: DateTime.Utc
): DateTime.Utc | undefined => {
  const deadline = DateTime.addDuration(endedAt, Limits.outcomeDeadline)
  const allowed = DateTime.addDuration(now, retryAfter)
  if (isFinal || !DateTime.isLessThan(now, deadline) || DateTime.isGreaterThan(allowed, deadline)) return undefined
  const delayed = DateTime.addDuration(now, RetrySchedule.outcomeDelay(DateTime.distance(endedAt, now)))
  return DateTime.min(DateTime.max(delayed, allowed), deadline)
}
