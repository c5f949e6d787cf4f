/** The probes, each as one call to an engine service. */
import { Engine, Readiness } from "@outdial/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"

/** Handles the endpoints of `SystemGroup`. */
export const layer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function*(handlers) {
    const { timeZones: { tzdata, version } } = yield* Engine.Engine
    const readiness = yield* Readiness.Readiness
    const timeZones = { version, ...(tzdata !== undefined && { tzdata }) }
    return handlers.handleAll({
      health: () => Effect.succeed({ status: "ok" as const, timeZones }),
      ready: () =>
        Effect.flatMap(
          readiness.reasons,
          (reasons) =>
            reasons.length === 0
              ? Effect.succeed({ status: "ready" as const })
              : Effect.fail(ApiErrors.notReady(reasons, readiness.meaningOf))
        )
    })
  })
)
