/** Starting calls and batches, and calling them off. */
import { type Call, Errors, Ids, type Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Option, Result } from "effect"
import { type Knowledge, type Known, nothing, numberOf, pick, promised, type Step, step, work } from "./Knowledge.ts"
import { rulesOf } from "./Rules.ts"

/** Only what the transaction checks: other restrictions may be set while a call is accepted, and the claim applies them. */
type Refusal = Errors.AgentNotFound | Errors.CallAlreadyQueued

type Make = (knowledge: Knowledge, known: Known, n: number) => Step

/** Few keys and two requests, so that keys are used again, for the same and for another. */
const idempotencyOf = (n: number): Storage.Idempotency => ({
  key: `key ${n % 3}`,
  fingerprint: n < 8 ? "same" : "other"
})

/** A call as an engine would plan it, waiting in its lane; of another kind with each `n`. */
const planned = (
  knowledge: Knowledge,
  n: number,
  facts: Pick<Storage.StartFacts, "account" | "agent">,
  overrides: Partial<Call.CallRecord>
): Call.CallRecord => {
  const { seconds, zones } = knowledge
  const createdAt = Factories.at(seconds)
  const call = Factories.queuedCall(facts, {
    createdAt,
    ...(n === 3 && { notBefore: Factories.at(seconds + 100), dueAt: Factories.at(seconds + 100) }),
    ...(n === 4 && { expiresAt: Factories.at(seconds + 90) }),
    ...overrides
  })
  const lane = rulesOf(zones).laneOf(facts.account, call)
  return n !== 5 ? { ...call, lane } : {
    ...call,
    lane,
    test: true,
    status: "completed",
    endedAt: createdAt,
    outcome: Factories.outcome,
    outcomeState: "stored"
  }
}

const startStep = (
  knowledge: Knowledge,
  known: Known,
  n: number,
  idempotency: Option.Option<Storage.Idempotency>
): Step => {
  const agentId = pick(known.agents, n)
  if (agentId === undefined) return nothing
  const id = Factories.callId()
  const phoneNumber = numberOf(n)
  return step((storage) =>
    storage.calls.start({
      ...work(knowledge, known),
      agentId: n === 7 ? Factories.agentId() : agentId,
      phoneNumber,
      rules: rulesOf(knowledge.zones),
      aliasesOf: Factories.aliasesOf,
      idempotency,
      plan: (facts): Result.Result<Call.CallRecord, Refusal> => {
        if (Option.isNone(facts.agent)) return Result.fail(new Errors.AgentNotFound({ agentId }))
        const callId = facts.number.waitingCallId
        const call = planned(knowledge, n, facts, { id, phoneNumber })
        return callId !== undefined && !call.test
          ? Result.fail(new Errors.CallAlreadyQueued({ callId }))
          : Result.succeed(call)
      }
    }), { learn: (result) => void (result._tag === "Started" && known.calls.push(result.call.id)) })
}

const startBatchStep = (
  knowledge: Knowledge,
  known: Known,
  n: number,
  idempotency: Option.Option<Storage.Idempotency>
): Step => {
  const agentId = pick(known.agents, n)
  if (agentId === undefined) return nothing
  const id = Ids.BatchId.make(Factories.callId().replace("call_", "batch_"))
  const phoneNumbers = [0, 1, 2].slice(0, n % 4).map((more) => numberOf(n + more))
  const callIds = phoneNumbers.map(() => Factories.callId())
  return step(
    (storage) =>
      Effect.map(
        storage.calls.startBatch({
          ...work(knowledge, known),
          agentIds: [agentId],
          phoneNumbers,
          rules: rulesOf(knowledge.zones),
          aliasesOf: Factories.aliasesOf,
          idempotency,
          plan: ({ account, agents, numbers }) => {
            const facts = { account, agent: Option.fromUndefinedOr(agents.get(agentId)) }
            const calls = phoneNumbers.flatMap((phoneNumber, batchIndex) => {
              const number = numbers.get(phoneNumber)
              const callId = callIds[batchIndex]
              return callId === undefined || number?.waitingCallId !== undefined
                ? []
                : [planned(knowledge, n, facts, { id: callId, phoneNumber, batchId: id, batchIndex })]
            })
            const { now: createdAt } = work(knowledge, known)
            const batch = { id, accountId: known.id, agentId, acceptedCount: calls.length, rejected: [], test: n === 5 }
            return { batch: { ...batch, createdAt }, calls }
          }
        }),
        (result) => "stored" in result ? { ...result, stored: promised(result.stored) } : result
      ),
    {
      learn: (result) => {
        if (result._tag !== "Started") return
        known.batches.push(id)
        known.calls.push(...result.stored.calls.map((call) => call.id))
      }
    }
  )
}

export const steps = {
  start: (knowledge, known, n) => startStep(knowledge, known, n, Option.none()),
  start_with_key: (knowledge, known, n) => startStep(knowledge, known, n, Option.some(idempotencyOf(n))),
  start_batch: (knowledge, known, n) => startBatchStep(knowledge, known, n, Option.none()),
  start_batch_with_key: (knowledge, known, n) => startBatchStep(knowledge, known, n, Option.some(idempotencyOf(n))),
  cancel: (knowledge, known, n) => {
    const id = pick(known.calls.toReversed(), n) ?? Factories.callId()
    return step((storage) => storage.calls.cancel({ ...work(knowledge, known), id }))
  },
  cancel_batch: (knowledge, known, n) => {
    const id = pick(known.batches.toReversed(), n) ?? Ids.BatchId.make("batch_unknown")
    return step((storage) => storage.calls.cancelBatch({ ...work(knowledge, known), id }))
  }
} satisfies { readonly [act: string]: Make }
