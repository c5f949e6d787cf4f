/** The contract of what needs no key and no account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"

export const SystemGroup = HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/healthz", {
      success: Schema.Struct({
        status: Schema.Literal("ok"),
        time_zones: Schema.Struct({ version: Schema.String, tzdata: Schema.optionalKey(Schema.String) })
      })
    }).annotateMerge(OpenApi.annotations({
      summary: "Liveness",
      description:
        "Answers while the process can answer; says nothing of the database. Tells which time zone data calls are planned by."
    })),
    HttpApiEndpoint.get("ready", "/readyz", {
      success: Schema.Struct({ status: Schema.Literal("ready") }),
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Readiness",
      description:
        "Answers 200 when this process should be sent requests, else 503 with the `reasons`: it is about to end, the database " +
        "does not answer or has yet to be migrated, or the clock is uncertain. Cheap: looks at the database once a second at most."
    }))
  )
  .middleware(ErrorEnvelope)
