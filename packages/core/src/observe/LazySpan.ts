/**
 * Spans for frequent work, which cost nothing without a tracer: `Effect.fn` creates a span and captures the stack each
 * time. Rare work uses `Effect.fn`.
 */
import { Effect, References, Tracer } from "effect"

/** The first effect with a tracer, otherwise the second. */
export const whereTraced = <A, E, R>(
  traced: () => Effect.Effect<A, E, R>,
  untraced: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber<A, E, R>((fiber) =>
    fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer || !fiber.getRef(References.TracerEnabled)
      ? untraced()
      : traced()
  )

/** The function in a span of that name, if there is a tracer. */
export const fn =
  (name: string) =>
  <Args extends ReadonlyArray<unknown>, A, E, R>(body: (...args: Args) => Effect.Effect<A, E, R>) =>
  (...args: Args): Effect.Effect<A, E, R> =>
    whereTraced(() => Effect.withSpan(body(...args), name), () => body(...args))
