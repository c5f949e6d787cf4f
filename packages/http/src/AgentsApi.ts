/** The contract of agents (spec §4.7). The script itself is not shown. */
import { type Agent, Ids, Script } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "./Authorization.ts"
import { ErrorEnvelope } from "./Middleware.ts"
import * as WireErrors from "./WireErrors.ts"
import { noQuery } from "./WireRequest.ts"

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

/** The envelope of every list. */
export const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    data: Schema.Array(item),
    has_more: Schema.Boolean,
    next_cursor: Schema.NullOr(Schema.String)
  })

export const AgentsGroup = HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("list", "/agents", {
      query: noQuery,
      success: listOf(AgentWire),
      error: WireErrors.declare("unavailable")
    }).annotate(RequiredScopes, ["calls:read", "calls:write"]).annotateMerge(OpenApi.annotations({
      summary: "List agents",
      description: "Your agents, newest first, and the variables that their scripts use."
    }))
  )
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
