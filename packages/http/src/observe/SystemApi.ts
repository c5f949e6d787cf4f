/** The contract of what needs no key and no account. */
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
        version: field(Schema.String, "Another one whenever numbers or zones are read differently.", "8f3c21ab"),
        tzdata: field(
          Schema.optionalKey(Schema.String),
          "The release of the IANA time zone database in use, where it is known.",
          "2026a"
        )
      }),
      "The time zone data that calls are planned by.",
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
        "Answers while the process can answer, whatever the state of the database. Shows which time zone data plans calls."
    })),
    HttpApiEndpoint.get("ready", "/readyz", {
      success: Schema.Struct({ status: field(Schema.Literal("ready"), "Always `ready`.", "ready") }).annotate({
        identifier: "Readiness"
      }),
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Readiness",
      description:
        "Answers 200 when this process should be sent requests, else 503 with the `reasons`: it is about to end, the database " +
        "does not answer or has yet to be migrated, or the clock is uncertain. Cheap: looks at the database once a second at most."
    }))
  )
  .annotateMerge(OpenApi.annotations({ description: "For operators; needs no key." }))
  .middleware(ErrorEnvelope)
