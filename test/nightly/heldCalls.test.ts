/** What a queue of 100,000 calls costs while something holds all of them. */
import { it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Context, Effect, Layer } from "effect"
import * as HeldCalls from "../../packages/sql/test/support/HeldCalls.ts"
import * as Postgres from "../support/postgres.ts"

class Queue extends Context.Service<Queue, HeldCalls.Queue>()("test/nightly/Queue") {}

const layer = Layer.effect(Queue, HeldCalls.make({ calls: 100_000 })).pipe(
  Layer.provideMerge(SqlStorage.layer),
  Layer.provideMerge(Postgres.layer)
)

it.layer(layer, { excludeTestServices: true, timeout: "120 seconds" })("Of 100,000 calls that wait,", (it) => {
  for (const [name, test] of Object.entries(HeldCalls.cases)) {
    it.effect(name, () => HeldCalls.undone(Effect.flatMap(Queue, test)), 120_000)
  }
})
