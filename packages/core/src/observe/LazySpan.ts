/**
 * Spans of what is done for every request, which cost nothing where nobody looks at them: `Effect.fn` makes a span and takes the
 * stack each time. Leaves what is done seldom to that.
 */
import { Effect, References, Tracer } from "effect"

/** The one effect where spans are made for somebody, else the other. */
export const whereTraced = <A, E, R>(
  traced: () => Effect.Effect<A, E, R>,
  untraced: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber<A, E, R>((fiber) =>
    fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer || !fiber.getRef(References.TracerEnabled)
      ? untraced()
      : traced()
  )

/** The function, as a span of that name where spans are made. */
export const fn =
  (name: string) =>
  <Args extends ReadonlyArray<unknown>, A, E, R>(body: (...args: Args) => Effect.Effect<A, E, R>) =>
  (...args: Args): Effect.Effect<A, E, R> =>
    whereTraced(() => Effect.withSpan(body(...args), name), () => body(...args))
