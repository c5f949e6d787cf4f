/** `GET /metrics` for Prometheus: on a separate port, or beside the API with a token. */
import { Gauges } from "@outdial/core"
import { ApiErrors, PrometheusText, type Routes } from "@outdial/http"
import { Context, Effect, Metric, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import * as ErrorResponse from "./ErrorResponse.ts"

export const path = "/metrics"

const memory = Metric.gauge("process_resident_memory_bytes", { description: "Memory of this process" })

const hashed = (text: string) => createHash("sha256").update(text).digest()

const mayRead = (request: HttpServerRequest.HttpServerRequest, token: Option.Option<Redacted.Redacted>) =>
  Option.isNone(token) ||
  // The scheme is read in any case (RFC 9110 §11.1).
  timingSafeEqual(
    hashed((request.headers["authorization"] ?? "").replace(/^bearer +/i, "Bearer ")),
    hashed(`Bearer ${Redacted.value(token.value)}`)
  )

const refused = new ApiErrors.ApiError({
  code: "unauthenticated",
  message: "Send the token of OUTDIAL_METRICS_TOKEN as Authorization: Bearer",
  headers: { "www-authenticate": "Bearer" }
})

/** Serves the metrics of the engine in the context. All other requests go to `otherwise`. */
export const make = Effect.fnUntraced(function*(
  token: Option.Option<Redacted.Redacted>,
  otherwise: Routes.HttpEffect
) {
  const services = Context.make(Gauges.Gauges, yield* Gauges.Gauges)
  const metrics: Routes.HttpEffect = Effect.gen(function*() {
    yield* Metric.update(memory, process.memoryUsage.rss())
    const text = yield* Effect.provideContext(PrometheusText.text, services)
    return HttpServerResponse.text(text, { contentType: PrometheusText.contentType })
  })
  const all: Routes.HttpEffect = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.method !== "GET" || request.url.split("?")[0] !== path) return yield* otherwise
    return yield* mayRead(request, token) ? metrics : ErrorResponse.respond(refused)
  })
  return all
})

/** The response of the separate port to all other requests. */
export const onlyMetrics: Routes.HttpEffect = ErrorResponse.respond(
  new ApiErrors.ApiError({ code: "route_not_found", message: "This port answers only GET /metrics" })
)
