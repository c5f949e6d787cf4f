/** What a worker serves: whether it lives and is ready, to those that watch over it; nothing of `/v1`. */
import { ApiErrors, type Routes } from "@outdial/http"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as ErrorResponse from "./ErrorResponse.ts"

const paths = new Set(["/healthz", "/readyz"])

const notServed = new ApiErrors.ApiError({
  code: "route_not_found",
  message: `This process dials and delivers, and answers only ${[...paths].join(" and ")}; ask one that serves /v1`
})

/** Of the interface, that. */
export const make = (api: Routes.HttpEffect): Routes.HttpEffect =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ url }) => paths.has(url.split("?")[0] ?? "") ? api : ErrorResponse.respond(notServed)
  )
