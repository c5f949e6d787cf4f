/** The endpoints of agents, each as one call to an engine service. */
import { Agents, Page } from "@outdial/core"
import { Effect } from "effect"
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
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const all = yield* Effect.mapError(agents.list(accountId), ApiErrors.from)
        // An account has so few agents that the engine lists them whole.
        return toList(Page.cut(all, Page.pageRequest(query)), shownAgent)
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return shownAgent(yield* Effect.mapError(agents.get(accountId, params.id), ApiErrors.from))
      })
    })
  })
)
