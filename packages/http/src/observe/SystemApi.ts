/** The contract of the probes, which need no key. */
import { FieldDocs, Wire } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"

const { field } = FieldDocs

const Health = Wire.snakeKeys(
  Schema.Struct({
    status: field(Schema.Literal("ok"), "Always `ok`.", "ok"),
    timeZones: field(
      Schema.Struct({
        version: field(Schema.String, "Changes whenever numbers or zones are read differently.", "8f3c21ab"),
        tzdata: field(
          Schema.optionalKey(Schema.String),
          "The release of the IANA time zone database in use, where it is known.",
          "2026a"
        )
      }),
      "The time zone data that calls are scheduled with.",
      { version: "8f3c21ab", tzdata: "2026a" }
    )
  }),
  "Health"
)

export const SystemGroup = HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/healthz", {
      success: Health
    }).annotateMerge(OpenApi.annotations({
      summary: "Liveness",
      description:
        "Answers 200 while the process runs, whatever the state of the database. Shows the time zone data that calls are scheduled with."
    })),
    HttpApiEndpoint.get("ready", "/readyz", {
      success: Schema.Struct({ status: field(Schema.Literal("ready"), "Always `ready`.", "ready") }).annotate({
        identifier: "Readiness"
      }),
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Readiness",
      description:
        "Answers 200 if this process accepts requests, else 503 with the `reasons`: it is shutting down, the database " +
        "does not answer or is not migrated, or the clock is uncertain. Checks the database at most once a second."
    }))
  )
  .annotateMerge(OpenApi.annotations({ description: "For operators; needs no key." }))
  .middleware(ErrorEnvelope)
