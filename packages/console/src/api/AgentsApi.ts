/** The contract of what an agent's editor needs beyond `/v1`: earlier versions, and a check while its owner writes. */
import { Agent, Ids } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { all, inAccount, Instant, Problem, snakeKeys } from "./Endpoints.ts"

/** An agent as its owner writes it. */
export const AgentContent = snakeKeys(Schema.Struct(Agent.AgentContent.fields))

export const AgentVersion = snakeKeys(Schema.Struct({
  version: Schema.Int,
  createdAt: Instant,
  content: AgentContent
}))

/** A version without its content. */
export const ListedVersion = snakeKeys(Schema.Struct({
  version: Schema.Int,
  createdAt: Instant,
  name: Schema.String
}))

export const AgentCheck = Schema.Struct({
  /** Why it is not an agent. */
  problems: Schema.Array(Problem),
  /** Placeholders that a call must give a value for, in the order of the text. Empty while there are problems. */
  required: Schema.Array(Schema.String)
})

/** Decoded by the rules of agents, so that every problem has its path. */
export const Definition = Schema.Any

const CheckAgent = RequestFields.body("CheckAgent", Schema.Struct({ definition: Definition }))

const agent = { ...inAccount, id: Ids.AgentId }

const Version = Schema.String.check(
  Schema.isPattern(/^[1-9][0-9]{0,8}$/u, { message: "must be the number of a version" })
)

export const AgentsGroup = HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("versions", "/accounts/:account/agents/:id/versions", {
      params: agent,
      query: RequestFields.noQuery,
      // Newest first.
      success: all(ListedVersion),
      error: ApiErrors.declare("not_found", "unavailable")
    }),
    HttpApiEndpoint.get("version", "/accounts/:account/agents/:id/versions/:version", {
      params: { ...agent, version: Version },
      query: RequestFields.noQuery,
      success: AgentVersion,
      error: ApiErrors.declare("not_found", "unavailable")
    }),
    HttpApiEndpoint.post("check", "/accounts/:account/agents/check", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: CheckAgent,
      success: AgentCheck
    }).middleware(RequestBody.RequestBody)
  )
  .annotateEndpoints(MinimumRole, "admin")
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
