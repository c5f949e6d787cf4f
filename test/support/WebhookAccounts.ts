/** Accounts with an endpoint and events, written as the engine writes them. */
import { EventBodies, Ids, PhoneNumber, Storage, Webhooks } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Option } from "effect"

const ended = (now: DateTime.Utc) => ({
  test: true,
  createdAt: now,
  status: "completed" as const,
  endedAt: now,
  outcome: Factories.outcome,
  outcomeState: "stored" as const
})

/** An account whose events go to the address. */
export const make = Effect.fnUntraced(function*(url: string) {
  const storage = yield* Storage.Storage
  const webhooks = yield* Webhooks.Webhooks
  const id = Factories.accountId()
  yield* storage.accounts.put({
    id,
    name: url,
    lines: 0,
    paused: false,
    policy: Factories.openPolicy,
    createdAt: yield* DateTime.now
  })
  const agent = yield* storage.agents.put({
    accountId: id,
    agent: Factories.agentDefinition(),
    now: yield* DateTime.now
  })
  yield* webhooks.set(id, { url })

  /** At most 1,000 events at once; answers their ids. */
  const events = Effect.fnUntraced(function*(count: number) {
    const now = yield* DateTime.now
    const batchId = Ids.BatchId.make(Factories.callId().replace("call_", "batch_"))
    const result = yield* storage.calls.startBatch({
      accountId: id,
      now,
      idempotency: Option.none(),
      agentIds: [agent.id],
      phoneNumbers: [],
      rules: Factories.rules,
      plan: ({ account, agents }) => {
        const facts = { account, agent: Option.fromUndefinedOr(agents.get(agent.id)) }
        const calls = Array.from({ length: count }, (_, batchIndex) => {
          const phoneNumber = PhoneNumber.PhoneNumber.make("+14155550100")
          return Factories.queuedCall(facts, { ...ended(now), batchId, batchIndex, phoneNumber })
        })
        const batch = { id: batchId, accountId: id, agentId: null, test: true, rejected: [], createdAt: now }
        return { batch: { ...batch, acceptedCount: count }, calls }
      },
      events: EventBodies.eventWriter(now)
    })
    if (result._tag !== "Started") return yield* Effect.die(new Error(`The batch was not started: ${result._tag}`))
    return result.stored.calls.map((call): string => Ids.terminalEventId(call.id))
  })

  const states = Effect.map(
    storage.deliveries.list({ accountId: id, filter: {}, page: { limit: 100_000, after: Option.none() } }),
    ({ items }) => {
      const counts: Record<string, number> = {}
      for (const { state } of items) counts[state] = (counts[state] ?? 0) + 1
      return counts
    }
  )

  return { id, events, states }
})
