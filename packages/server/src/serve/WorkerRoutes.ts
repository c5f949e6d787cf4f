/** The routes of a worker: liveness, readiness, and those of its carrier, without `/v1`. */
import { ApiErrors, Routes } from "@outdial/http"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as ErrorResponse from "./ErrorResponse.ts"

const paths = new Set(["/healthz", "/readyz"])

const notServed = new ApiErrors.ApiError({
  code: "route_not_found",
  message: `This process dials and delivers, and answers only ${
    [...paths].join(" and ")
  }; send the request to a process that serves /v1`
})

/** Restricts the API to these routes. */
export const make = (api: Routes.HttpEffect): Routes.HttpEffect =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ url }) =>
      paths.has(url.split("?")[0] ?? "") || Routes.isForCarrier(url, undefined) ? api : ErrorResponse.respond(notServed)
  )
