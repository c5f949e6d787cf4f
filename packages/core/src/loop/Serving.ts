/** Who serves the others of a process at this moment, if anybody does. */
import { Effect } from "effect"

export interface Serving<Server> {
  /** Nobody where none serves at this moment. */
  readonly current: () => Server | undefined
  /** Has the server be the current one while the effect runs. */
  readonly serving: (server: Server) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = <Server>(): Serving<Server> => {
  let current: Server | undefined
  const set = (server: Server | undefined) => Effect.sync(() => void (current = server))
  return {
    current: () => current,
    serving: (server) => (effect) => Effect.acquireUseRelease(set(server), () => effect, () => set(undefined))
  }
}
