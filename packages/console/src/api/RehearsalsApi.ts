/** The contract of rehearsals: an agent against simulated contacts, in the memory of the process. Their number and time are bounded. */
import { Call, Conversation, ModelUsage, Outcome, Variables } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { all, inAccount, snakeKeys } from "./Endpoints.ts"
import { chosenAgent } from "./TalksApi.ts"

/** Most calls of a rehearsal: each of the personas once or twice. */
export const mostRuns = 100

/** A persona of ours. */
export const ListedPersona = snakeKeys(Schema.Struct({
  name: Schema.String,
  /** The primary subtag of its language. */
  language: Schema.String,
  description: Schema.NullOr(Schema.String)
}))

const usage = Schema.Array(snakeKeys(ModelUsage.ModelUsage))
const Must = Schema.Literals(["opt_outs", "duration", "silence", "monologue", "disclosure", "agent"])
const Verdict = Schema.Literals(["right", "wrong", "missing", "not_given"])

const Run = snakeKeys(Schema.Struct({
  number: Schema.Int,
  persona: Schema.String,
  status: Call.CallStatus,
  endReason: Schema.NullOr(Conversation.EndReason),
  disposition: Schema.NullOr(Schema.String),
  isExpected: Schema.optionalKey(Schema.Boolean),
  answers: Schema.Array(Schema.Struct({
    question: Schema.String,
    said: Schema.NullOr(Schema.String),
    recorded: Schema.NullOr(Schema.String),
    verdict: Verdict
  })),
  optedOut: Schema.Boolean,
  isListed: Schema.Boolean,
  failures: Schema.Array(Schema.Struct({ must: Must, message: Schema.String })),
  durationMs: Schema.Finite,
  latenciesMs: Schema.Array(Schema.Finite),
  usage,
  transcript: Schema.Array(snakeKeys(Outcome.TranscriptTurn))
}))

/** As `outdial rehearse --json` prints it. */
export const Report = snakeKeys(Schema.Struct({
  passed: Schema.Boolean,
  seed: Schema.Int,
  musts: Schema.Array(Schema.Struct({ must: Must, kept: Schema.Int, of: Schema.Int })),
  statuses: Schema.Array(Schema.Struct({ status: Call.CallStatus, calls: Schema.Int })),
  dispositions: Schema.Array(Schema.Struct({ disposition: Schema.NullOr(Schema.String), calls: Schema.Int })),
  expected: Schema.Struct({ met: Schema.Int, of: Schema.Int }),
  answers: Schema.Array(Schema.Struct({ verdict: Verdict, count: Schema.Int })),
  listedUnasked: Schema.Int,
  turns: Schema.Struct({ total: Schema.Int, median: Schema.Finite, most: Schema.Int }),
  durationMs: Schema.Struct({ median: Schema.Finite, longest: Schema.Finite }),
  latencyMs: Schema.optionalKey(Schema.Struct({ p50: Schema.Finite, p95: Schema.Finite, longest: Schema.Finite })),
  usage,
  runs: Schema.Array(Run)
}))

const Rehearse = RequestFields.body(
  "Rehearse",
  Schema.Struct({
    ...chosenAgent,
    /** Names of our personas. Default: all that speak the agent's language. */
    personas: Schema.optionalKey(Schema.Array(Schema.String)),
    /** Default: one for each persona. */
    runs: Schema.optionalKey(Schema.Int.check(
      Schema.isBetween({ minimum: 1, maximum: mostRuns }, { message: `must be 1 to ${mostRuns}` })
    )),
    seed: Schema.optionalKey(Schema.Int.check(
      Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }, { message: `must be 0 to ${2 ** 31 - 1}` })
    )),
    variables: Schema.optionalKey(Variables.Variables)
  })
)

export const RehearsalsGroup = HttpApiGroup.make("rehearsals")
  .add(
    HttpApiEndpoint.get("personas", "/accounts/:account/personas", {
      params: inAccount,
      query: RequestFields.noQuery,
      success: all(ListedPersona)
    }).annotate(MinimumRole, "viewer"),
    HttpApiEndpoint.post("rehearse", "/accounts/:account/rehearsals", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: Rehearse,
      success: Report,
      error: ApiErrors.declare(
        "invalid_request",
        "not_found",
        "missing_variables",
        "rate_limited",
        "unavailable"
      )
    }).middleware(RequestBody.RequestBody).annotate(MinimumRole, "operator")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
