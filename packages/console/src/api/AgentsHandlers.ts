/** Versions of agents, and the check of a definition. */
import { Agents, Script } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as AgentDefinitions from "./AgentDefinitions.ts"
import { ConsoleApi } from "./ConsoleApi.ts"
import { shownProblem } from "./Endpoints.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const agents = yield* Agents.Agents
    return handlers.handleAll({
      versions: Effect.fnUntraced(function*({ params: { account, id } }) {
        return { data: yield* Effect.mapError(agents.versions(account, id), ApiErrors.from) }
      }),
      version: Effect.fnUntraced(function*({ params: { account, id, version } }) {
        const agent = yield* Effect.mapError(agents.version(account, id, Number(version)), ApiErrors.from)
        return {
          version: agent.version,
          createdAt: agent.updatedAt,
          content: AgentDefinitions.definitionOf(agent)
        }
      }),
      check: Effect.fnUntraced(function*({ payload }) {
        const agent = AgentDefinitions.decode(payload.definition)
        return yield* Effect.match(Effect.tap(agent, agents.check), {
          onFailure: ({ problems }) => ({ problems: problems.map(shownProblem), required: [] }),
          onSuccess: (agent) => ({
            problems: [],
            required: Script.variables(agent).filter(({ required }) => required).map(({ key }) => key)
          })
        })
      })
    })
  })
)
