import { it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Context, Effect, Layer } from "effect"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as HeldCalls from "../support/HeldCalls.ts"

class Queue extends Context.Service<Queue, HeldCalls.Queue>()("test/Queue") {}

const layer = Layer.effect(Queue, HeldCalls.make({ calls: 10_000 })).pipe(
  Layer.provideMerge(SqlStorage.layer),
  Layer.provideMerge(Postgres.layer)
)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Of 10,000 calls that wait,", (it) => {
  for (const [name, test] of Object.entries(HeldCalls.cases)) {
    it.effect(name, () => HeldCalls.undone(Effect.flatMap(Queue, test)), 120_000)
  }
})
