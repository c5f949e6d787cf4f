/** Steps that tests on the calls of one tenant repeat. */
import { Call, Calls, type Ids } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Schema } from "effect"

export const decodeStart = Schema.decodeUnknownEffect(Call.StartCall)

/** Starts a call with the tenant's agent, to a number that ends as its last digits say. */
export const start = Effect.fnUntraced(function*(phoneNumber: string, more: object = {}, idempotencyKey?: string) {
  return yield* startFor(yield* TestEngine.Tenant, phoneNumber, more, idempotencyKey)
})

/** The same for a tenant of the test's own. */
export const startFor = Effect.fnUntraced(function*(
  { accountId, agentId }: TestEngine.Tenant["Service"],
  phoneNumber: string,
  more: object = {},
  idempotencyKey?: string
) {
  const calls = yield* Calls.Calls
  const request = yield* decodeStart({ agentId, phoneNumber, variables: { topic: "your visit" }, ...more })
  return yield* calls.start(accountId, request, idempotencyKey === undefined ? {} : { idempotencyKey })
})

export const get = Effect.fnUntraced(function*(id: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return yield* calls.get(accountId, id)
})
