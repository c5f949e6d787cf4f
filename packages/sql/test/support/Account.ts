/** An account with an agent, and the steps that the tests of this package repeat on it. */
import { type Call, EventBodies, Ids, type PhoneNumber, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Option } from "effect"

export const make = Effect.fnUntraced(function*(lines = 5) {
  const storage = yield* Storage.Storage
  const id = Factories.accountId()
  const account = { id, name: "Test", lines, paused: false, policy: Factories.openPolicy, createdAt: Factories.start }
  yield* storage.accounts.put(account)
  const agent = yield* storage.agents.put({ accountId: id, agent: Factories.agentDefinition(), now: Factories.start })
  const events = EventBodies.eventWriter(Factories.start)

  const start = (overrides: Partial<Call.CallRecord> = {}, key?: string, node = storage) => {
    const phoneNumber = overrides.phoneNumber ?? Factories.phoneNumber()
    return node.calls.start({
      accountId: id,
      agentId: agent.id,
      phoneNumber,
      now: Factories.start,
      rules: Factories.rules,
      idempotency: Option.map(Option.fromUndefinedOr(key), (key) => ({ key, fingerprint: "f" })),
      plan: Factories.accepting({ phoneNumber, ...overrides }),
      events
    })
  }

  /** A batch of one call to each number, except those that have a queued call. */
  const startBatch = (
    numbers: ReadonlyArray<PhoneNumber.PhoneNumber>,
    options: { readonly overrides?: Partial<Call.CallRecord>; readonly key?: string } = {}
  ) => {
    const batchId = Ids.BatchId.make(Factories.callId().replace("call_", "batch_"))
    return storage.calls.startBatch({
      accountId: id,
      now: Factories.start,
      idempotency: Option.map(Option.fromUndefinedOr(options.key), (key) => ({ key, fingerprint: "f" })),
      agentIds: [agent.id],
      phoneNumbers: numbers,
      rules: Factories.rules,
      plan: ({ account, agents, numbers: known }) => {
        const facts = { account, agent: Option.fromUndefinedOr(agents.get(agent.id)) }
        const calls = numbers.flatMap((phoneNumber, batchIndex) =>
          known.get(phoneNumber)?.waitingCallId !== undefined && options.overrides?.test !== true
            ? []
            : [Factories.queuedCall(facts, { ...options.overrides, batchId, batchIndex, phoneNumber })]
        )
        const batch = { id: batchId, accountId: id, agentId: null, acceptedCount: calls.length, rejected: [] }
        return { batch: { ...batch, test: false, createdAt: Factories.start }, calls }
      },
      events
    })
  }

  return {
    id,
    agentId: agent.id,
    storage,
    events,
    start,
    startBatch,
    cancel: (callId: Ids.CallId) => storage.calls.cancel({ accountId: id, id: callId, now: Factories.start, events }),
    cancelBatch: (batchId: Ids.BatchId) =>
      storage.calls.cancelBatch({ accountId: id, id: batchId, now: Factories.start, events }),
    /** Sets an endpoint for terminal events. */
    setWebhook: storage.webhooks.set({
      accountId: id,
      url: "https://example.com/hook",
      enabled: true,
      events: ["call.completed", "call.not_connected"],
      secret: Factories.sealed("test"),
      previousSecrets: [],
      createdAt: Factories.start,
      updatedAt: Factories.start
    }),
    pause: storage.accounts.put({ ...account, paused: true }),
    claim: (token: Ids.ClaimToken, limit = 100) =>
      storage.dispatch.claimDue({
        carrier: Factories.carrier,
        accountId: id,
        now: Factories.start,
        limit,
        token,
        rules: Factories.rules,
        events
      }),
    submit: (token: Ids.ClaimToken, callIds: ReadonlyArray<Ids.CallId>) =>
      storage.dispatch.submit({ accountId: id, callIds, token, now: Factories.start }),
    exists: (callId: Ids.CallId) => Effect.map(storage.calls.get(id, callId), Option.isSome)
  }
})
