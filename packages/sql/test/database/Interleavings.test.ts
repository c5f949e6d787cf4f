/** A sixth of the pairs of paths, each interrupted at one point; test/nightly has all pairs and points. */
import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Effect, Layer } from "effect"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Crossing from "../support/Deadlocks.ts"
import * as Interleavings from "../support/Interleavings.ts"

const names = Object.keys(Crossing.paths)

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

// One test at a time: it reads which statements of the whole database are blocked.
it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Paths through storage", (it) => {
  it.effect("are correct wherever one interrupts the other", () =>
    Effect.gen(function*() {
      const { crossed } = yield* Interleavings.make
      const faults: Array<string> = []
      let cells = 0
      for (const [index, first] of names.entries()) {
        for (const [other, second] of names.entries()) {
          // Interrupted at another point than its neighbours.
          if ((index + other) % 6 !== 0 || ((index + other) % 2 === 0 ? index > other : index < other)) continue
          const point = 1 + (index + 3 * other) % 7
          const found = (yield* crossed(first, second, point)) ?? (yield* crossed(first, second, "commit"))
          cells += 1
          faults.push(...(found?.faults ?? []).map((fault) => `${first}, ${second}: ${fault}`))
        }
      }
      assert.deepStrictEqual(faults, [])
      assert.isAbove(cells, names.length ** 2 / 16)
    }), 180_000)
})
