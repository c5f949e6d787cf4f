/** The contract of agents (spec §4.7). The script itself is not shown; agents are changed by the library and the CLI. */
import { Agent, Example, FieldDocs, Ids, Limits, Script, Wire } from "@outdial/core"
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
      "The variables of its texts.",
      [{ key: "appointment", required: true }]
    ),
    dispositions: field(Schema.Array(Schema.String), "Possible values of an outcome's `disposition`.", [
      "confirmed",
      "declined"
    ]),
    firstMessage: field(
      Schema.optionalKey(Schema.String),
      "What it says first, with placeholders. The first paragraph of the script when absent.",
      "Hello {{contact.name}}, do you have a minute?"
    ),
    disclosure: field(
      Schema.optionalKey(Schema.String),
      "What the contact hears before anything else, with placeholders. It cannot be interrupted.",
      "This call is made by an AI and is recorded."
    ),
    maxDurationSeconds: field(
      Schema.Int,
      `After this long the agent says goodbye and the call ends: ${Limits.conversationSeconds.least} to ${Limits.conversationSeconds.most}, 600 by default.`,
      600
    ),
    silenceSeconds: field(
      Schema.Int,
      `After this long without a word the contact is asked whether they are there, once; after as long again the call ends: ${Limits.silenceSeconds.least} to ${Limits.silenceSeconds.most}, 10 by default.`,
      10
    ),
    interruptible: field(
      Schema.Boolean,
      "Whether the agent stops when the contact speaks, `true` by default.",
      true
    ),
    voicemail: field(
      Agent.Voicemail,
      "What it does when a voicemail box answers: `leave_message` or `hang_up`. By default it leaves its `voicemail_message` if it has one.",
      "leave_message"
    ),
    endPhrases: field(
      Schema.Array(Schema.String),
      "The call ends politely when the contact says one of these, in any case and punctuation.",
      ["wrong number"]
    ),
    createdAt: field(Schema.DateTimeUtc, "When it was created.", Example.created),
    updatedAt: field(
      Schema.DateTimeUtc,
      "When it was last changed. A call keeps the script that it was accepted with.",
      Example.created
    )
  }),
  "Agent"
)

/** Without the script, but with its variables and all defaults. */
export const shownAgent = (agent: Agent.Agent): typeof AgentWire.Type => ({
  ...agent,
  ...Agent.conversationSettings(agent),
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
      description: "Your agents, newest first, and the variables that their texts use."
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
