import { Storage } from "@outdial/core"
import { Duration, Effect, Layer } from "effect"

/** Any storage, with a warning when a step that delays calls takes longer than this. */
export const watched = <E, R>(storage: Layer.Layer<Storage.Storage, E, R>, limit: Duration.Duration) => {
  const watch = <A, E, R>(name: string, step: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.timed(step), ([took, answer]) =>
      Duration.isGreaterThan(took, limit)
        ? Effect.as(Effect.logWarning(`${name} took ${Duration.format(took)}`), answer)
        : Effect.succeed(answer))

  return Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (inner) =>
      Storage.Storage.of({
        ...inner,
        dispatch: {
          ...inner.dispatch,
          claimDue: (options) => watch("claimDue", inner.dispatch.claimDue(options)),
          submit: (options) => watch("submit", inner.dispatch.submit(options)),
          report: (options) => watch("report", inner.dispatch.report(options))
        }
      }))
  ).pipe(Layer.provide(storage))
}
