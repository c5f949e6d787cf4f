/**
 * Whether anything happens in a conversation of this process. The lines of a script are said one by one when nothing does, so that a
 * script always gives the same conversation, without a clock.
 */
import { Effect, Latch } from "effect"

export interface Activity {
  /** Something happened. */
  readonly happened: () => void
  /** Work begins that takes its own time, such as the answer of an agent. */
  readonly began: () => void
  readonly ended: () => void
  /** Returns when the first work has begun. */
  readonly begun: Effect.Effect<void>
  /** Returns when nothing is going on, nor follows from what has happened. */
  readonly settled: Effect.Effect<void>
}

/** More steps than lie between a word and its consequences. Each yield lets every other fiber run that can. */
const steps = 200

export const make = (): Activity => {
  let version = 0
  let working = 0
  const isIdle = Latch.makeUnsafe(true)
  const hasBegun = Latch.makeUnsafe()
  const settled: Effect.Effect<void> = Effect.gen(function*() {
    while (true) {
      yield* isIdle.await
      const before = version
      for (let step = 0; step < steps; step++) yield* Effect.yieldNow
      if (version === before && working === 0) return
    }
  })
  return {
    settled,
    begun: hasBegun.await,
    happened: () => void (version += 1),
    began: () => {
      version += 1
      working += 1
      isIdle.closeUnsafe()
      hasBegun.openUnsafe()
    },
    ended: () => {
      version += 1
      working -= 1
      if (working === 0) isIdle.openUnsafe()
    }
  }
}
