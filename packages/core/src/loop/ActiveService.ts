/** The provider of a service within this process, while it is active. */
import { Effect } from "effect"

export interface ActiveService<S> {
  /** `undefined` while none is active. */
  readonly current: () => S | undefined
  /** Makes the server the active one while the effect runs. */
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
