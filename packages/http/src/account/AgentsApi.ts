/** The contract of agents (spec §4.7). The script itself is not shown; agents are changed by the library and the CLI. */
import { type Agent, Example, FieldDocs, Ids, Script, Wire } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { listOf, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { noQuery, queryOf } from "../edge/RequestFields.ts"

const { apart, field } = FieldDocs

export const AgentWire = Wire.snakeKeys(
  Schema.Struct({
    id: field(Ids.AgentId, "The agent's id.", Example.agentId),
    object: field(Schema.Literal("agent"), "Always `agent`.", "agent"),
    name: field(Schema.String, "Its name.", "Appointment reminder"),
    variables: field(
      Schema.Array(Schema.Struct({
        key: field(Schema.String, "The name of the variable.", "appointment"),
        required: field(Schema.Boolean, "Whether a call is rejected without a value.", true),
        default: apart(
          Schema.optionalKey(Schema.String),
          "The value for calls without one.",
          "your appointment"
        )
      })),
      "The variables of its script.",
      [{ key: "appointment", required: true }]
    ),
    dispositions: field(Schema.Array(Schema.String), "Possible values of an outcome's `disposition`.", [
      "confirmed",
      "declined"
    ]),
    createdAt: field(Schema.DateTimeUtc, "When it was created.", Example.created),
    updatedAt: field(
      Schema.DateTimeUtc,
      "When it was last changed. A call keeps the script that it was accepted with.",
      Example.created
    )
  }),
  "Agent"
)

/** Without the script, but with its variables. */
export const shownAgent = (agent: Agent.Agent): typeof AgentWire.Type => ({
  ...agent,
  object: "agent",
  variables: Script.variables(agent)
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
      params: { id: field(Ids.AgentId, "The id.", Example.agentId) },
      query: noQuery,
      success: AgentWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({ summary: "Get an agent" }))
  )
  .annotateMerge(
    OpenApi.annotations({
      description: "Agents are the callers. They are managed by the library and the command line."
    })
  )
  // To start calls, a client must know an agent's variables.
  .annotateEndpoints(RequiredScopes, ["calls:read", "calls:write"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
