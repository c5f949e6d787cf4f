/** The endpoints of agents, each as one call to an engine service. */
import { Agent, Agents, type ApiKey, Decoding, type Ids, Page } from "@outdial/core"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { CurrentAccess } from "../access/Authorization.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { toList } from "../edge/Lists.ts"
import { shownAgent } from "./AgentsApi.ts"

/** Handles the endpoints of `AgentsGroup`. */
export const layer = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const agents = yield* Agents.Agents
    const put = Effect.fnUntraced(function*(payload: typeof Agent.AgentContent.Type, id?: Ids.AgentId) {
      const { accountId } = yield* CurrentAccess
      // The payload was checked field by field; this checks how the fields fit together.
      const content = yield* Effect.mapError(decodeContent(payload), ApiErrors.from)
      const definition = id === undefined ? content : { ...content, id }
      return shownAgent({ isManager: true })(yield* Effect.mapError(agents.put(accountId, definition), ApiErrors.from))
    })
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId, scopes } = yield* CurrentAccess
        const all = yield* Effect.mapError(agents.list(accountId), ApiErrors.from)
        // An account has so few agents that the engine lists them whole.
        return toList(Page.cut(all, Page.pageRequest(query)), shownAgent({ isManager: isManager(scopes) }))
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId, scopes } = yield* CurrentAccess
        const agent = yield* Effect.mapError(agents.get(accountId, params.id), ApiErrors.from)
        return shownAgent({ isManager: isManager(scopes) })(agent)
      }),
      create: ({ payload }) => put(payload),
      put: ({ params, payload }) => put(payload, params.id),
      archive: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        const agent = yield* Effect.mapError(agents.archive(accountId, params.id), ApiErrors.from)
        return shownAgent({ isManager: true })(agent)
      })
    })
  })
)

const decodeContent = Decoding.decoding(Schema.toType(Agent.AgentContent))

const isManager = (scopes: ReadonlyArray<ApiKey.Scope>): boolean => scopes.includes("agents:manage")
