/** What calls that wait take of a node's memory, and of the disk. */
import { Effect } from "effect"
import * as Measurement from "../Measurement.ts"
import * as Fixture from "../Fixture.ts"

const waiting = 50_000

/** Nothing is dialed, so that all wait. */
const lines = 0

export const memory = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_memory")
  const accounts = yield* Fixture.accounts(fixture, 4, { lines })
  const node = yield* Fixture.node(fixture)
  yield* node({ task: "run" })
  const { sql } = fixture
  const used = node({ task: "memory" }).pipe(Effect.map(Number))
  const onDisk = Effect.map(
    sql<
      { readonly bytes: number }
    >`select (pg_total_relation_size('outdial_calls') + pg_total_relation_size('outdial_call_requests'))::float8 as bytes`,
    ([row]) => row?.bytes ?? 0
  )
  const ours = Effect.fnUntraced(function*(count: number) {
    const before = [yield* used, yield* onDisk] as const
    yield* Fixture.accept(fixture, accounts, count)
    // A few rounds of every loop.
    yield* Effect.sleep("2 seconds")
    const after = [yield* used, yield* onDisk] as const
    return [Math.max(0, after[0] - before[0]) / count, (after[1] - before[1]) / count]
  })
  return yield* Measurement.measured({
    figures: [
      { name: "waiting-memory", unit: "bytes of a node's memory a call", better: "less" },
      { name: "waiting-disk", unit: "bytes on disk a call", better: "less" }
    ],
    ours,
    peers: [],
    first: waiting,
    most: waiting
  })
})
