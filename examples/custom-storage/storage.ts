import { Storage } from "@outdial/core"
import { Duration, Effect, Layer } from "effect"

/** Any storage, which tells when a step that phones wait for takes longer than this. */
export const watched = <E, R>(storage: Layer.Layer<Storage.Storage, E, R>, patience: Duration.Duration) => {
  const watch = <A, E, R>(name: string, step: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.timed(step), ([took, answer]) =>
      Duration.isGreaterThan(took, patience)
        ? Effect.as(Effect.logWarning(`${name} took ${Duration.format(took)}`), answer)
        : Effect.succeed(answer))

  return Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (inner) =>
      Storage.Storage.of({
        ...inner,
        claimDue: (options) => watch("claimDue", inner.claimDue(options)),
        submit: (options) => watch("submit", inner.submit(options)),
        report: (options) => watch("report", inner.report(options))
      }))
  ).pipe(Layer.provide(storage))
}
