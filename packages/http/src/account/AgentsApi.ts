/** The contract of agents (spec §4.7). The script itself is not shown; agents are changed by the library and the CLI. */
import { type Agent, Ids, Script } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { listOf, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { noQuery, queryOf } from "../edge/RequestFields.ts"

export const AgentWire = Schema.Struct({
  id: Ids.AgentId,
  object: Schema.Literal("agent"),
  name: Schema.String,
  variables: Schema.Array(Schema.Struct({
    key: Schema.String,
    required: Schema.Boolean.annotate({ description: "Whether a call is refused without a value" }),
    default: Schema.optionalKey(Schema.String)
  })),
  dispositions: Schema.Array(Schema.String),
  created_at: Schema.DateTimeUtc,
  updated_at: Schema.DateTimeUtc
}).annotate({ identifier: "Agent" })

export const agentToWire = (agent: Agent.Agent): typeof AgentWire.Type => ({
  id: agent.id,
  object: "agent",
  name: agent.name,
  variables: Script.variables(agent),
  dispositions: agent.dispositions,
  created_at: agent.createdAt,
  updated_at: agent.updatedAt
})

export const AgentsGroup = HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("list", "/agents", {
      query: queryOf(pageQuery),
      success: listOf(AgentWire),
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "List agents",
      description: "Your agents, newest first, and the variables that their scripts use."
    })),
    HttpApiEndpoint.get("get", "/agents/:id", {
      params: { id: Ids.AgentId },
      query: noQuery,
      success: AgentWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({ summary: "Get an agent" }))
  )
  // Whoever starts calls must see which variables an agent needs.
  .annotateEndpoints(RequiredScopes, ["calls:read", "calls:write"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
