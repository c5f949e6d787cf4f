/** Metrics of requests. Labels are the contract's routes, never actual URLs. */
import { Clock, Context, Effect, Metric, Option } from "effect"
import { HttpMethod, HttpRouter } from "effect/http"

const requests = Metric.counter("outdial_http_requests_total", {
  description: "Requests, by method, route and status",
  incremental: true
})

const errors = Metric.counter("outdial_http_errors_total", {
  description: "Error responses, by code",
  incremental: true
})

const durations = Metric.histogram("outdial_http_request_seconds", {
  description: "Duration of requests, by route",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Every series of requests, for the documentation. */
export const described: ReadonlyArray<Pick<Metric.Metric<never, unknown>, "id" | "description" | "type">> = [
  requests,
  errors,
  durations
]

const makeSeries = (method: string, route: string, status: number) => ({
  requests: Metric.withAttributes(requests, { method, route, status: String(status) }),
  durations: Metric.withAttributes(durations, { route })
})

/** Caches the metrics by their labels. Their number is bounded. */
const seriesByKey = new Map<string, ReturnType<typeof makeSeries>>()

const seriesOf = (method: string, route: string, status: number) => {
  const key = `${method} ${route} ${status}`
  const series = seriesByKey.get(key) ?? makeSeries(method, route, status)
  seriesByKey.set(key, series)
  return series
}

/** Measures one request. */
export const begin = Effect.map(Clock.monotonicTimeNanos, (startedAt) => {
  // All unknown paths share one series.
  let route = "none"
  return {
    /** Wraps the router, which puts the matched route into the context. */
    routed: <A, E, R>(httpEffect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.ensuring(
        httpEffect,
        Effect.map(Effect.context<never>(), (context) => {
          route = Option.match(Context.getOption(context, HttpRouter.RouteContext), {
            onNone: () => route,
            onSome: ({ route }) => route.path
          })
        })
      ),
    answered: Effect.fnUntraced(function*(method: string, status: number) {
      // All invented methods share one series.
      const series = seriesOf(HttpMethod.isHttpMethod(method) ? method : "other", route, status)
      yield* Metric.update(series.requests, 1)
      // A WebSocket lasts as long as its call.
      if (status === 101) return
      const nanos = (yield* Clock.monotonicTimeNanos) - startedAt
      yield* Metric.update(series.durations, Number(nanos) / 1e9)
    })
  }
})

export const failed = (code: string) => Metric.update(Metric.withAttributes(errors, { code }), 1)
