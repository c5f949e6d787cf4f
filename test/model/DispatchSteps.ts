/** The life of a call from the queue to its outcome, and its maintenance. */
import { type CallLife, type CarrierEvent, EventBodies, Ids, type Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect } from "effect"
import { type Knowledge, type Known, nothing, pick, type Step, step, work } from "./Knowledge.ts"
import { carriers, rulesOf } from "./Rules.ts"

type Make = (knowledge: Knowledge, known: Known, n: number) => Step

const lineEvent = (seconds: number, n: number): CarrierEvent.CarrierEvent => {
  const at = Factories.at(seconds)
  const ended = { _tag: "Ended" as const, at, transcript: [], recorded: false }
  const { transcript } = Factories.outcome
  const events: ReadonlyArray<CarrierEvent.CarrierEvent> = [
    { _tag: "Accepted", carrierCallId: Ids.CarrierCallId.make(`carrier ${n}`) },
    { _tag: "Alive" },
    { _tag: "Answered", at, by: "human" },
    { _tag: "Answered", at, by: "voicemail" },
    { _tag: "Answered", at, by: "unknown" },
    { _tag: "Verdict", by: "voicemail" },
    { _tag: "Verdict", by: "ivr" },
    { _tag: "Recorded" },
    { _tag: "Charged", cost: { amount: `0.0${n + 1}`, currency: "USD" } },
    { ...ended, result: "busy" },
    { ...ended, result: "failed", code: "carrier_refused", carrierReason: { code: `${n}`, message: "Declined" } },
    { ...ended, result: "no_answer" },
    { ...ended, result: "hung_up", answeredAt: at, answeredBy: "human", transcript },
    { ...ended, result: "hung_up", answeredAt: at, answeredBy: "human", transcript, recorded: true },
    { ...ended, result: "hung_up", answeredAt: at, answeredBy: "human", transcript, recordingFollows: true }
  ]
  return pick(events, n) ?? { _tag: "Alive" }
}

/** Where the ends begin among these events. */
const firstEnd = 9

const outcomeResult = (seconds: number, n: number): CallLife.OutcomeResult => {
  if (n < 4) return { _tag: "Stored", outcome: Factories.outcome }
  if (n < 6) return { _tag: "Stored", outcome: { ...Factories.outcome, doNotCall: true } }
  if (n < 8) return { _tag: "Reported" }
  return n < 9 ? { _tag: "RetryAt", at: Factories.at(seconds + n * 10) } : { _tag: "GivenUp" }
}

const returned = (reason: "carrier_unavailable" | "not_submitted"): Make => (knowledge, known, n) => {
  const claim = pick(known.claims.toReversed(), n)
  return claim === undefined
    ? nothing
    : step((storage) =>
      storage.dispatch.returnToQueue({ ...work(knowledge, known), callIds: claim.work, token: claim.token, reason })
    )
}

const reported = (knowledge: Knowledge, known: Known, reports: ReadonlyArray<Storage.LineReport>) =>
  step((storage) => storage.dispatch.report({ ...work(knowledge, known), reports }))

/** As of a node with one carrier, or as of one with both, of which some have no slots. */
const slotsOf = (n: number) =>
  n % 3 === 0 ? {} : { slots: new Map(carriers.map((carrier, index) => [carrier, (n >> index) % 3])) }

export const steps = {
  claim: (knowledge, known, n) => {
    const token = Factories.token()
    const { zones } = knowledge
    return step(
      // Whether another claim held the account or all due calls is not guaranteed.
      (storage) =>
        Effect.map(
          storage.dispatch.claimDue({
            carrier: carriers[n % carriers.length] ?? Factories.carrier,
            ...work(knowledge, known),
            ...slotsOf(n),
            limit: 1 + n % 4,
            token,
            rules: rulesOf(zones),
            planData: zones
          }),
          ({ claimed, moved }) => ({ claimed, moved })
        ),
      {
        learn: ({ claimed }) => {
          if (claimed.length > 0) known.claims.push({ token, work: claimed.map(({ call }) => call.id) })
        },
        idle: { claimed: [], moved: 0 }
      }
    )
  },
  submit: (knowledge, known, n) => {
    const claim = pick(known.claims.toReversed(), n >> 2)
    return claim === undefined
      ? nothing
      : step((storage) =>
        storage.dispatch.submit({ ...work(knowledge, known), callIds: claim.work, token: claim.token })
      )
  },
  return_unsubmitted: returned("not_submitted"),
  return_unavailable: returned("carrier_unavailable"),
  report: (knowledge, known, n) => {
    const claim = pick(known.claims.toReversed(), n >> 2)
    const callId = pick(claim?.work ?? [], n) ?? Factories.callId()
    return reported(knowledge, known, [{ callId, event: lineEvent(knowledge.seconds, n) }])
  },
  report_ends: (knowledge, known, n) => {
    const claim = pick(known.claims.toReversed(), n >> 2)
    const reports = (claim?.work ?? []).map((callId, index) => ({
      callId,
      event: lineEvent(knowledge.seconds, firstEnd + (n + index) % 6)
    }))
    return reported(knowledge, known, reports)
  },
  take_stale: (knowledge, known, n) =>
    step(
      (storage) =>
        Effect.map(
          storage.dispatch.claimStaleCalls({
            carriers: carriers.slice(n % carriers.length),
            ...work(knowledge, known),
            limit: 1 + n
          }),
          (stale) => stale.toSorted((a, b) => a.callId < b.callId ? -1 : 1)
        ),
      {
        learn: (stale) => void known.claims.push(...stale.map(({ callId, token }) => ({ token, work: [callId] }))),
        idle: []
      }
    ),
  expire: (knowledge, known, n) =>
    step(
      (storage) =>
        storage.dispatch.expireCalls({ ...work(knowledge, known), limit: 1 + n, rules: rulesOf(knowledge.zones) }),
      { idle: 0 }
    ),
  // All of them at once: which come first is not promised.
  replan: (knowledge, known) =>
    step(
      (storage) =>
        storage.dispatch.replanCalls({ ...work(knowledge, known), limit: 100, rules: rulesOf(knowledge.zones) }),
      { idle: 0 }
    ),
  claim_outcomes: (knowledge, known, n) => {
    const token = Factories.token()
    return step(
      (storage) =>
        Effect.map(
          storage.outcomes.claim({ ...work(knowledge, known), limit: 1 + n % 3, token }),
          (claimed) => claimed.toSorted((a, b) => a.call.id < b.call.id ? -1 : 1)
        ),
      {
        learn: (claimed) => void known.outcomes.push(...claimed.map(({ call }) => ({ token, work: call.id }))),
        idle: []
      }
    )
  },
  settle_outcome: (knowledge, known, n) => {
    const claim = pick(known.outcomes.toReversed(), n % 2)
    return claim === undefined
      ? nothing
      : step(
        (storage) =>
          storage.outcomes.settle({
            ...work(knowledge, known),
            token: claim.token,
            results: [{ callId: claim.work, result: outcomeResult(knowledge.seconds, n) }]
          })
      )
  },
  complete_batches: (knowledge, known, n) => {
    const { now } = work(knowledge, known)
    const event = ({ batch, calls }: Storage.StoredBatch) => EventBodies.batchCompleted(batch, calls, now)
    return step((storage) => storage.calls.completeBatches({ ...work(knowledge, known), limit: 1 + n, event }), {
      idle: 0
    })
  }
} satisfies { readonly [act: string]: Make }
