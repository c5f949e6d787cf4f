import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Packed from "../../scripts/packed.ts"
import { Consumer, runtimes } from "../support/Consumer.ts"
import * as PackageDoors from "../support/PackageDoors.ts"

const timeout = 240_000

layer(Consumer.layer, { timeout, excludeTestServices: true })("the packages", (it) => {
  it.effect("have nothing that publint, are-the-types-wrong or npm would speak against", () =>
    Effect.gen(function*() {
      const { packed } = yield* Consumer
      for (const each of packed) {
        assert.deepStrictEqual(yield* Effect.promise(() => Packed.problems(each)), [], each.name)
      }
      assert.deepStrictEqual(yield* Effect.promise(Packed.publishWarnings), [])
    }), timeout)

  it.effect(
    "open every door and run the README's example on every Node that is supported",
    () =>
      Effect.gen(function*() {
        const nodes = Object.entries(yield* runtimes).filter(([name]) => name.startsWith("Node "))
        assert.includeMembers(nodes.map(([name]) => name), ["Node 22", "Node 24"])
        yield* PackageDoors.open(nodes)
      }),
    timeout
  )
})
