/** An account with an agent, and the steps that the tests of this package repeat on it. */
import { type Call, DialDecision, EventBodies, type Ids, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Option } from "effect"

export const make = Effect.fnUntraced(function*() {
  const storage = yield* Storage.Storage
  const id = Factories.accountId()
  const account = { id, name: "Test", lines: 5, paused: false, createdAt: Factories.start }
  yield* storage.putAccount(account)
  const agent = yield* storage.putAgent({ accountId: id, agent: Factories.agentDefinition(), now: Factories.start })
  const events = EventBodies.eventWriter(Factories.start)

  const start = (overrides: Partial<Call.CallRecord> = {}, key?: string) =>
    storage.startCall({
      accountId: id,
      agentId: agent.id,
      now: Factories.start,
      idempotency: Option.map(Option.fromUndefinedOr(key), (key) => ({ key, fingerprint: "f" })),
      plan: Factories.accepting(overrides),
      events
    })

  return {
    id,
    storage,
    events,
    start,
    pause: storage.putAccount({ ...account, paused: true }),
    claim: (token: Ids.ClaimToken, limit = 100) =>
      storage.claimDue({
        accountId: id,
        now: Factories.start,
        limit,
        token,
        decide: DialDecision.decide,
        events
      }),
    submit: (token: Ids.ClaimToken, callIds: ReadonlyArray<Ids.CallId>) =>
      storage.submit({ accountId: id, callIds, token, now: Factories.start }),
    exists: (callId: Ids.CallId) => Effect.map(storage.getCall(id, callId), Option.isSome)
  }
})
