/** Whole lives of calls: accepted, dialed, answered, ended, with their outcome, their event and its delivery. */
import { Effect, Schedule } from "effect"
import * as Measurement from "./Measurement.ts"
import * as Fixture from "./Fixture.ts"

/** As many as a round of the dispatcher has in hand. */
const accountCount = 8

export const make = Effect.fnUntraced(function*(fixture: Fixture.Fixture, nodeCount: number) {
  const nodes = yield* Effect.forEach(Array.from({ length: nodeCount }), () => Fixture.node(fixture))
  const accounts = yield* Fixture.accounts(fixture, accountCount, { webhook: "https://receiver.test/hook" })

  const all = (task: "run" | "arrived" | "halt") =>
    Effect.forEach(nodes, (node) => node({ task }), { concurrency: "unbounded" })

  /** Of all nodes together since they run; asking them costs nothing beside asking the database. */
  const arrived = Effect.map(all("arrived"), (counts) => counts.reduce<number>((sum, count) => sum + Number(count), 0))

  /** Calls per second from the first that is accepted to the last that is delivered and settled. */
  const run = Effect.fnUntraced(function*(count: number) {
    const elapsed = yield* Measurement.timed(Effect.gen(function*() {
      yield* Fixture.accept(fixture, accounts, count)
      yield* all("run")
      yield* arrived.pipe(
        Effect.repeat({ schedule: Schedule.spaced("5 millis"), until: (arrived) => arrived >= count })
      )
      yield* fixture.isLeft.pipe(Effect.repeat({ schedule: Schedule.spaced("5 millis"), until: (left) => !left }))
    }))
    yield* all("halt")
    return [Measurement.perSecond(count, elapsed)]
  })
  return { run }
})
