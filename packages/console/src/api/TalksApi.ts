/**
 * The contract of a conversation with an agent by keyboard, in the memory of the process. No phone rings, and nothing is stored. It ends
 * after some minutes without words.
 */
import { Conversation, Ids, Limits, Outcome, Variables, Wire } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { Definition } from "./AgentsApi.ts"
import { inAccount, snakeKeys } from "./Endpoints.ts"
import { EventStream, LastEventId } from "./EventStream.ts"

export const Talk = snakeKeys(Schema.Struct({ id: Schema.String, agentName: Schema.String }))

/** The agent: a stored one, or a definition that is not saved. Exactly one of the two. */
export const chosenAgent = {
  agentId: Schema.optionalKey(Ids.AgentId),
  definition: Schema.optionalKey(Definition)
}

const StartTalk = RequestFields.body(
  "StartTalk",
  Schema.Struct({
    ...chosenAgent,
    variables: Schema.optionalKey(Variables.Variables),
    contact: Schema.optionalKey(Schema.Struct({
      name: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(Limits.contactTextLength)))
    }))
  })
)

const shortText = Schema.String.check(
  Schema.isMaxLength(Limits.outcomeTextLength, { message: `must have at most ${Limits.outcomeTextLength} characters` })
)

/** What the contact says, or the keys that it presses. */
const TakeTurn = RequestFields.body(
  "TakeTurn",
  Schema.Struct({
    text: Schema.optionalKey(shortText),
    digits: Schema.optionalKey(
      Schema.String.check(
        Schema.isPattern(/^[0-9A-D*#]{1,64}$/u, { message: "must have 1 to 64 of 0-9, A-D, * and #" })
      )
    )
  })
)

/** What happens in a conversation, in order; the sequence number of each is the id of its event. */
export const TalkEvent = Schema.Union([
  /** The agent works on its answer, or has begun to speak. */
  Schema.Struct({ type: Schema.Literal("answering"), busy: Schema.Boolean }),
  snakeKeys(Schema.Struct({
    type: Schema.Literal("turn"),
    ...Outcome.TranscriptTurn.fields
  })),
  /** What the agent noted for the outcome. */
  snakeKeys(Schema.Struct({
    type: Schema.Literal("noted"),
    note: Schema.Literals(["answer", "callback", "meeting", "opt_out", "transfer"]),
    question: Schema.optionalKey(Schema.String),
    text: Schema.optionalKey(Schema.String)
  })),
  /** A tool is used, or has answered. Tools run in earnest. */
  snakeKeys(Schema.Struct({
    type: Schema.Literal("tool"),
    id: Schema.String,
    name: Schema.optionalKey(Schema.String),
    arguments: Schema.optionalKey(Schema.Json),
    result: Schema.optionalKey(Schema.Json),
    problem: Schema.optionalKey(Conversation.ToolProblem)
  })),
  Schema.Struct({ type: Schema.Literal("failed"), cause: Schema.String }),
  /** The last event. */
  snakeKeys(Schema.Struct({
    type: Schema.Literal("over"),
    /** Null if the conversation could not be held. */
    reason: Schema.NullOr(Conversation.EndReason),
    outcome: Schema.NullOr(Wire.OutcomeWire),
    /** From the contact's words to the first words of each answer, in milliseconds. */
    latenciesMs: Schema.Array(Schema.Finite)
  }))
])
export type TalkEvent = typeof TalkEvent.Type

const talk = { ...inAccount, id: Schema.String }

const Done = Schema.Struct({ ok: Schema.Literal(true) })

export const TalksGroup = HttpApiGroup.make("talks")
  .add(
    HttpApiEndpoint.post("start", "/accounts/:account/talks", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: StartTalk,
      success: Talk.pipe(HttpApiSchema.status(201)),
      error: ApiErrors.declare(
        "invalid_request",
        "not_found",
        "missing_variables",
        "rate_limited",
        "unavailable"
      )
    }).middleware(RequestBody.RequestBody),
    HttpApiEndpoint.post("turn", "/accounts/:account/talks/:id/turns", {
      params: talk,
      query: RequestFields.noQuery,
      payload: TakeTurn,
      success: Done.pipe(HttpApiSchema.status(202)),
      error: ApiErrors.declare("invalid_request", "not_found")
    }).middleware(RequestBody.RequestBody),
    HttpApiEndpoint.get("stream", "/accounts/:account/talks/:id/stream", {
      params: talk,
      headers: { "last-event-id": LastEventId },
      query: RequestFields.noQuery,
      // Events of the type `TalkEvent`.
      success: EventStream,
      error: ApiErrors.declare("not_found")
    }),
    HttpApiEndpoint.delete("end", "/accounts/:account/talks/:id", {
      params: talk,
      query: RequestFields.noQuery,
      success: Done,
      error: ApiErrors.declare("not_found")
    }).middleware(RequestBody.NoBody)
  )
  .annotateEndpoints(MinimumRole, "operator")
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
