/** The contract of agents (spec §4.7; `docs/decisions.md`, agents). The script is shown to those who may change it. */
import { Agent, Example, FieldDocs, Ids, Limits, Script, Wire } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { listOf, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { NoBody, RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { body, noQuery, queryOf } from "../edge/RequestFields.ts"

const { apart, field } = FieldDocs

const Shown = Schema.Struct({
  id: field(Ids.AgentId, "The agent's id.", Example.agentId),
  object: field(Schema.Literal("agent"), "Always `agent`.", "agent"),
  version: field(Schema.Int, "The number of its latest version. Every change makes a new one.", 3),
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
  script: apart(
    Schema.optionalKey(Schema.String),
    "What it says, with placeholders; for a language model also how it behaves. Shown with the scope `agents:manage`.",
    "Hello {{contact.name}}, this is Riverside Clinic about {{appointment}}."
  ),
  questions: apart(
    Schema.optionalKey(Schema.Array(Schema.String)),
    "What it asks, in order. Shown with the scope `agents:manage`.",
    ["Does Tuesday suit you?"]
  ),
  language: apart(
    Schema.optionalKey(Schema.String),
    "The language of the conversation, English by default. Shown with the scope `agents:manage`.",
    "es-MX"
  ),
  callerId: apart(
    Schema.optionalKey(Schema.String),
    "The number that it calls from. Shown with the scope `agents:manage`.",
    "+14155550199"
  ),
  voicemailMessage: apart(
    Schema.optionalKey(Schema.String),
    "What it says to a voicemail box, with placeholders. Shown with the scope `agents:manage`.",
    "This is Riverside Clinic. Please call us back."
  ),
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
  transferNumbers: apart(
    Schema.optionalKey(Schema.Array(Agent.TransferNumber)),
    "Where it may transfer a call to, at most 20. It knows the names only. Shown with the scope `agents:manage`.",
    [{ name: "reception", number: "+14155550198" }]
  ),
  model: field(
    Schema.optionalKey(Schema.String),
    "The language model that it answers with, by the name that your deployment has given it. The deployment's default when absent.",
    "fast"
  ),
  voice: field(
    Schema.optionalKey(Schema.String),
    "The voice that it speaks with, by its name at the carrier. The carrier's default when absent.",
    "en-US-Chirp3-HD-Aoede"
  ),
  tools: field(
    Schema.Array(Agent.ToolName),
    "The tools of the host application that it may use, by name.",
    ["book_visit"]
  ),
  createdAt: field(Schema.DateTimeUtc, "When it was created.", Example.created),
  updatedAt: field(
    Schema.DateTimeUtc,
    "When it was last changed. A call keeps the script that it was accepted with.",
    Example.created
  ),
  archivedAt: apart(
    Schema.optionalKey(Schema.DateTimeUtc),
    "When it was archived. No call can be started with an archived agent.",
    Example.created
  )
})

export const AgentWire = Wire.snakeKeys(Shown, "Agent")

const content = Agent.AgentContent.fields

/** Fields whose meaning in a request is not that in an answer. */
const written: Readonly<Record<string, Schema.Top>> = {
  variables: field(
    content.variables,
    "The variables of its texts that have a default. A call is rejected without a value for any other.",
    [{ key: "appointment", default: "your appointment" }]
  ),
  script: field(
    content.script,
    "What it says, with placeholders; for a language model also how it behaves.",
    "Hello {{contact.name}}, this is Riverside Clinic about {{appointment}}."
  ),
  questions: field(content.questions, "What it asks, in order.", ["Does Tuesday suit you?"]),
  language: apart(content.language, "The language of the conversation, English by default.", "es-MX"),
  callerId: apart(content.callerId, "The number that it calls from, in E.164 format.", "+14155550199"),
  voicemailMessage: field(
    content.voicemailMessage,
    "What it says to a voicemail box, with placeholders.",
    "This is Riverside Clinic. Please call us back."
  )
}

const shown: Readonly<Record<string, Schema.Top>> = Shown.fields

/** The fields of the definition, documented as those of the answer. */
const documented = Object.fromEntries(
  Object.entries<Schema.Top>(content).map(([name, schema]) => {
    const like = shown[name]
    return [name, written[name] ?? (like === undefined ? schema : FieldDocs.like(like, schema))]
  })
) as unknown as typeof content

const AgentContentWire = body("AgentContent", { fields: documented })

/** With its variables and all defaults; with the script for those who may change it. */
export const shownAgent =
  ({ isManager }: { readonly isManager: boolean }) => (agent: Agent.Agent): typeof AgentWire.Type => {
    const {
      callerId: _,
      language: __,
      questions: ___,
      script: ____,
      transferNumbers: _____,
      voicemailMessage: ______,
      ...open
    } = agent
    // Managers see them with the other fields of the agent.
    const { transferNumbers: _______, ...settings } = Agent.conversationSettings(agent)
    return {
      ...(isManager ? agent : open),
      ...settings,
      object: "agent",
      variables: Script.variables(agent)
    }
  }

const agentId = { id: field(Ids.AgentId, "The id.", Example.agentId) }

/** To start calls, a client must know an agent's variables. */
const readers = ["calls:read", "calls:write", "agents:manage"] as const

export const AgentsGroup = HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("list", "/agents", {
      query: queryOf(pageQuery),
      success: listOf(AgentWire),
      error: ApiErrors.declare("unavailable")
    }).annotate(RequiredScopes, readers).annotateMerge(OpenApi.annotations({
      summary: "List agents",
      description: "Your agents, newest first, and the variables that their texts use. Archived agents are left out."
    })),
    HttpApiEndpoint.get("get", "/agents/:id", {
      params: agentId,
      query: noQuery,
      success: AgentWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(RequiredScopes, readers).annotateMerge(OpenApi.annotations({
      summary: "Get an agent",
      description: "Archived agents, too."
    })),
    HttpApiEndpoint.post("create", "/agents", {
      query: noQuery,
      payload: AgentContentWire,
      success: AgentWire.pipe(HttpApiSchema.status(201)),
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).middleware(RequestBody).annotate(RequiredScopes, ["agents:manage"]).annotateMerge(OpenApi.annotations({
      summary: "Create an agent",
      description: "A repeated request creates another agent. To be able to repeat it, choose an id and use `PUT`."
    })),
    HttpApiEndpoint.put("put", "/agents/:id", {
      params: agentId,
      query: noQuery,
      payload: AgentContentWire,
      success: AgentWire,
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).middleware(RequestBody).annotate(RequiredScopes, ["agents:manage"]).annotateMerge(OpenApi.annotations({
      summary: "Create or replace an agent",
      description:
        "Replaces all fields: one that is absent gets its default. A change makes a new version; calls that wait keep theirs. An archived agent can be used again. Safe to repeat."
    })),
    HttpApiEndpoint.delete("archive", "/agents/:id", {
      params: agentId,
      query: noQuery,
      success: AgentWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).middleware(NoBody).annotate(RequiredScopes, ["agents:manage"]).annotateMerge(OpenApi.annotations({
      summary: "Archive an agent",
      description: "No call can be started with it any more. Calls that wait are made. Safe to repeat."
    }))
  )
  .annotateMerge(
    OpenApi.annotations({
      description: "Agents are the callers: what they say, what they ask, and how they behave in a conversation."
    })
  )
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
