/** Steps that the tests on events repeat: an endpoint, events, and time. */
import { Call, Calls, Engine, Events, Ids, type WebhookEndpoint, Webhooks } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Duration, Effect, Option, Schema } from "effect"
import { TestClock } from "effect/testing"

const decodeStart = Schema.decodeUnknownEffect(Call.StartCall)

export const setWebhook = (request: Partial<WebhookEndpoint.SetWebhook> = {}) =>
  Effect.flatMap(TestEngine.Tenant, ({ accountId }) => setWebhookOf(accountId, request))

export const setWebhookOf = Effect.fnUntraced(function*(
  accountId: Ids.AccountId,
  request: Partial<WebhookEndpoint.SetWebhook>
) {
  const webhooks = yield* Webhooks.Webhooks
  return yield* webhooks.set(accountId, { url: "https://example.com/hook", ...request })
})

export const getWebhook = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const webhooks = yield* Webhooks.Webhooks
  return yield* webhooks.get(accountId)
})

export const rotateSecret = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const webhooks = yield* Webhooks.Webhooks
  return yield* webhooks.rotateSecret(accountId, {})
})

export const removeWebhook = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const webhooks = yield* Webhooks.Webhooks
  yield* webhooks.remove(accountId)
})

/** A test call, which ends at once; answers the id of its event. */
export const event = Effect.gen(function*() {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = yield* decodeStart({ agentId, phoneNumber: "+14155550100", variables: { topic: "x" }, test: true })
  const { id } = yield* calls.start(accountId, request)
  return Ids.terminalEventId(id)
})

export const events = (count: number) => Effect.forEach(Array.from({ length: count }), () => event)

/** How many deliveries are in each state. */
export const states = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const log = yield* Events.Events
  const counts: Record<string, number> = {}
  let after = Option.none<{ readonly createdAt: Call.CallRecord["createdAt"]; readonly id: string }>()
  while (true) {
    const { hasMore, items } = yield* log.listDeliveries(accountId, {}, { limit: 1000, after })
    for (const { state } of items) counts[state] = (counts[state] ?? 0) + 1
    if (!hasMore) return counts
    after = Option.fromUndefinedOr(items.at(-1))
  }
})

/** Runs the engine's loops, and the clock a step at a time, so that what takes time is in flight while others go on. */
export const run = Effect.fnUntraced(function*(duration: Duration.Duration, step: Duration.Duration) {
  const engine = yield* Engine.Engine
  const fiber = yield* Effect.forkChild(engine.run)
  for (let passed = 0; passed < Duration.toMillis(duration); passed += Duration.toMillis(step)) {
    yield* TestClock.adjust(step)
  }
  return fiber
})
