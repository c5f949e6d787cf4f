/** Each two paths through storage against each other, the one stopped at each of its points. */
import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Crossing from "../../packages/sql/test/support/Deadlocks.ts"
import * as Interleavings from "../../packages/sql/test/support/Interleavings.ts"
import * as Postgres from "../support/postgres.ts"

const names = Object.keys(Crossing.paths)

class Paths extends Context.Service<Paths, Effect.Success<typeof Interleavings.make>>()("test/nightly/Paths") {}

const layer = Layer.effect(Paths, Interleavings.make).pipe(
  Layer.provideMerge(SqlStorage.layer),
  Layer.provideMerge(Postgres.layer)
)

// One test at a time: what waits for a lock is asked of the whole database.
it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Paths through storage", (it) => {
  for (const first of names) {
    it.effect(`do each other no harm, wherever the others meet "${first}"`, () =>
      Effect.gen(function*() {
        const { crossed, expected } = yield* Paths
        const faults: Array<string> = []
        let cells = 0
        for (const second of names) {
          const states = yield* expected(first, second)
          for (const point of Interleavings.points) {
            const found = yield* crossed(first, second, point)
            if (found === undefined) continue
            cells += 1
            const strange = Interleavings.isInOrder(first, second, point) && !states.includes(found.state)
            const all = [...found.faults, ...(strange ? ["what comes of them in no order"] : [])]
            faults.push(...all.map((fault) => `${second} at ${point}: ${fault}`))
          }
        }
        assert.deepStrictEqual(faults, [])
        assert.isAtLeast(cells, 2 * names.length)
      }), 600_000)
  }

  it.effect("never wait for each other in a circle", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        select d.deadlocks::int as deadlocks
        from pg_stat_database as d
        where d.datname = current_database()`
      assert.deepStrictEqual(rows, [{ deadlocks: 0 }])
    }))
})
