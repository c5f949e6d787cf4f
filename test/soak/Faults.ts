/** What goes wrong from outside, in an order that the seed gives: every kind once before any comes again. */
import { Deferred, Effect } from "effect"
import type { Database } from "./Database.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { type Incidents, longerThanAnyLease, type Worker } from "./Workers.ts"
import { realMillis, type Timeline } from "./Timeline.ts"

export interface Targets {
  readonly timeline: Timeline
  readonly database: Database
  readonly carrier: Worker
  readonly receiver: Worker
  readonly nodes: readonly [Worker, ...ReadonlyArray<Worker>]
}

interface Fault {
  readonly what: string
  readonly strike: Effect.Effect<void>
}

/** Real milliseconds between two faults, at most. */
const pause = 4000

export const run = Effect.fnUntraced(function*(
  { carrier, database, nodes, receiver, timeline }: Targets,
  options: {
    readonly random: SeededRandom
    readonly seconds: number
    readonly incidents: Incidents
    /** Completes when every kind of fault has occurred. */
    readonly once: Deferred.Deferred<void>
  }
) {
  const { random, incidents, once, seconds } = options
  const kill = ({ kill, name }: Worker): Fault => ({ what: `${name} killed`, strike: kill })
  const freeze = ({ freeze, name }: Worker, millis = random.between(500, 4000)): Fault => ({
    what: `${name} frozen for ${Math.round(millis)} ms`,
    strike: freeze(millis)
  })
  const aNode = () => random.pick(nodes)
  const longest = () => freeze(aNode(), realMillis(timeline, longerThanAnyLease))
  const databaseKilled = (millis = random.between(300, 2500)): Fault => ({
    what: `database killed, for ${millis} ms`,
    strike: database.kill(millis)
  })
  const databaseFrozen = (millis = random.between(300, 2500)): Fault => ({
    what: `database frozen for ${millis} ms`,
    strike: database.freeze(millis)
  })
  const faultDeck = () => [
    kill(aNode()),
    kill(aNode()),
    freeze(aNode()),
    kill(carrier),
    freeze(carrier),
    kill(receiver),
    freeze(receiver),
    databaseKilled(),
    databaseFrozen()
  ]
  while (true) {
    // The longest first, so that a short run has it whole.
    const faults = [longest(), ...random.shuffled(faultDeck())]
    for (const { strike, what } of faults) {
      const most = Math.min(pause, seconds * 1000 / (faults.length + 1))
      yield* Effect.sleep(most * (0.5 + random.next() / 2))
      incidents.note(what)
      // The database has one fault at a time; those of processes run beside each other.
      yield* what.startsWith("database") ? strike : Effect.forkScoped(strike)
    }
    yield* Deferred.succeed(once, undefined)
  }
})
