/** The metrics of an engine and of its requests in the text format of Prometheus. */
import { Gauges } from "@outdial/core"
import { type Context, Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** All current series. Metrics of the storage are at most five seconds old, or marked as outdated. */
export const text: Effect.Effect<string, never, Gauges.Gauges> = Effect.gen(function*() {
  const { refresh } = yield* Gauges.Gauges
  yield* refresh
  return yield* PrometheusMetrics.format()
})

/** The same for an engine that `Outdial.open` opened. */
export const over = (engine: { readonly services: Context.Context<Gauges.Gauges> }): Promise<string> =>
  Effect.runPromise(Effect.provideContext(text, engine.services))
