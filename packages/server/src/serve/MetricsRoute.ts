/** `GET /metrics` for Prometheus: on a port of its own, or beside the interface for who shows the token. */
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

/** The metrics of the engine of the context, and what `otherwise` answers to everything else. */
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

/** What a port for metrics alone answers to everything else. */
export const onlyMetrics: Routes.HttpEffect = ErrorResponse.respond(
  new ApiErrors.ApiError({ code: "route_not_found", message: "This port answers only GET /metrics" })
)
