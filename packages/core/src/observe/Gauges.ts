/** Updates the series that are read rather than counted. Exporters call it before they show or send metrics. */
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { ClockUncertainty } from "../time/ClockUncertainty.ts"
import { cachedFor } from "./CachedFor.ts"
import * as Metrics from "./Metrics.ts"
import { Readiness } from "./Readiness.ts"
import { Workers } from "../worker/Workers.ts"
import { StorageStats } from "../storage/StorageStats.ts"

/** How long values of the storage are shown before they are read again, however many readers there are. */
const validFor = Duration.seconds(5)

/** A scrape is given up after ten seconds by default; it had better show the rest without them. */
const readTimeout = Duration.seconds(4)

export class Gauges extends Context.Service<Gauges, {
  /** Reads the present values. If the storage does not answer, its series keep their values, and one series reports it. */
  readonly refresh: Effect.Effect<void>
}>()("@outdial/core/observe/Gauges") {
  static readonly layer = Layer.effect(
    Gauges,
    Effect.gen(function*() {
      const storageStats = yield* StorageStats
      const readiness = yield* Readiness
      const workers = yield* Workers
      const uncertainty = yield* ClockUncertainty
      const read = Effect.gen(function*() {
        const now = yield* DateTime.now
        yield* Metrics.recordSnapshot(yield* storageStats.snapshot(now), now)
        yield* Metrics.workers((yield* workers.list).length)
      }).pipe(
        Effect.timeout(readTimeout),
        Effect.match({ onFailure: () => false, onSuccess: () => true })
      )
      const hasStats = yield* cachedFor(read, validFor)
      return Gauges.of({
        refresh: Effect.gen(function*() {
          yield* Metrics.process({
            isReady: (yield* readiness.reasons).length === 0,
            uncertainty: yield* uncertainty,
            hasStats: yield* hasStats
          })
        })
      })
    })
  )
}
