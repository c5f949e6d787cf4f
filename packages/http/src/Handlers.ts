/** Each endpoint as one call to an engine service. */
import { Agents, Calls, RecordingLinks, Webhooks } from "@outdial/core"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { agentToWire } from "./AgentsApi.ts"
import { Api } from "./Api.ts"
import { CurrentKey } from "./Authorization.ts"
import * as WireErrors from "./WireErrors.ts"

const calls = HttpApiBuilder.group(
  Api,
  "calls",
  Effect.fnUntraced(function*(handlers) {
    const calls = yield* Calls.Calls
    return handlers.handleAll({
      start: Effect.fnUntraced(function*({ headers, payload }) {
        const { accountId } = yield* CurrentKey
        const idempotencyKey = headers["idempotency-key"]
        const options = idempotencyKey === undefined ? {} : { idempotencyKey }
        const call = yield* Effect.mapError(calls.start(accountId, payload, options), WireErrors.from)
        return call.idempotentReplay === true
          ? HttpApiSchema.withHeaders({ body: call, headers: { "idempotent-replayed": "true" as const } })
          : call
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentKey
        return yield* Effect.mapError(calls.get(accountId, params.id), WireErrors.from)
      })
    })
  })
)

const recordings = HttpApiBuilder.group(
  Api,
  "recordings",
  Effect.fnUntraced(function*(handlers) {
    const links = yield* RecordingLinks.RecordingLinks
    return handlers.handleAll({
      open: Effect.fnUntraced(function*({ params, query: { account = "", expires = "", signature = "" } }) {
        const claims = { account, expires: Number(expires), signature }
        const { bytes, mediaType } = yield* Effect.mapError(links.open(params.id, claims), WireErrors.from)
        return HttpServerResponse.uint8Array(bytes, { contentType: mediaType })
      })
    })
  })
)

const agents = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const agents = yield* Agents.Agents
    return handlers.handleAll({
      list: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentKey
        const data = yield* Effect.mapError(agents.list(accountId), WireErrors.from)
        return { object: "list" as const, data: data.map(agentToWire), has_more: false, next_cursor: null }
      })
    })
  })
)

const webhook = HttpApiBuilder.group(
  Api,
  "webhook",
  Effect.fnUntraced(function*(handlers) {
    const webhooks = yield* Webhooks.Webhooks
    return handlers.handleAll({
      set: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentKey
        return yield* Effect.mapError(webhooks.set(accountId, payload), WireErrors.from)
      }),
      get: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentKey
        return yield* Effect.mapError(webhooks.get(accountId), WireErrors.from)
      }),
      remove: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentKey
        yield* Effect.mapError(webhooks.remove(accountId), WireErrors.from)
        return { object: "webhook" as const, deleted: true as const }
      })
    })
  })
)

const system = HttpApiBuilder.group(
  Api,
  "system",
  (handlers) => handlers.handleAll({ health: () => Effect.succeed({ status: "ok" as const }) })
)

/** Every group of the contract, over the engine's services. */
export const layer = Layer.mergeAll(calls, recordings, agents, webhook, system)
