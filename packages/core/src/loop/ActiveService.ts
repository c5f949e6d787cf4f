/** Who serves the others of a process at this moment, if anybody does. */
import { Effect } from "effect"

export interface ActiveService<S> {
  /** Nobody where none serves at this moment. */
  readonly current: () => S | undefined
  /** Has the server be the current one while the effect runs. */
  readonly whileActive: (server: S) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = <S>(): ActiveService<S> => {
  let current: S | undefined
  const set = (server: S | undefined) => Effect.sync(() => void (current = server))
  return {
    current: () => current,
    whileActive: (server) => (effect) => Effect.acquireUseRelease(set(server), () => effect, () => set(undefined))
  }
}
