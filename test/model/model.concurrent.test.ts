/**
 * Callers at once: the effect of concurrent commands on SQL storage equals their effect on memory in some order.
 * OUTDIAL_MODEL_RUNS makes it a long run.
 */
import { assert, it } from "@effect/vitest"
import { Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Effect, Layer, Schema } from "effect"
import * as Commands from "./Commands.ts"
import * as Knowledge from "./Knowledge.ts"
import * as Reads from "./Reads.ts"
import * as Orders from "./Orders.ts"
import * as Storages from "./Storages.ts"
import * as Postgres from "../support/postgres.ts"

const runs = Number(process.env["OUTDIAL_MODEL_RUNS"] ?? 3)

/** Groups of a run, at most. */
const most = 40

const Groups = Schema.Array(
  Schema.Array(Commands.Command).check(Schema.isMinLength(1), Schema.isMaxLength(3))
).check(Schema.isMaxLength(most))

const fitsSomeOrder = (groups: typeof Groups.Type) =>
  Effect.gen(function*() {
    const sql = yield* Storage.Storage
    const knowledge = Knowledge.make()
    yield* Storages.empty
    yield* Storages.open(sql, knowledge)
    let histories: ReadonlyArray<Orders.History> = [[]]
    for (const [index, commands] of groups.entries()) {
      const steps = commands.map((command) => Commands.stepOf(knowledge, command))
      const made = yield* Effect.forEach(
        steps,
        (step) => Effect.map(step.run(sql), ({ answer, learn }) => ({ step, answer, learn })),
        { concurrency: "unbounded" }
      )
      const seen = yield* Reads.readAll(sql, knowledge)
      const { difference, fitting } = yield* Orders.continued(knowledge, histories, made, seen)
      assert.isUndefined(difference, `Group ${index + 1} fits in no order: ${JSON.stringify(commands)}`)
      assert.deepStrictEqual(
        yield* Storages.halves,
        [],
        `Group ${index + 1} leaves halves: ${JSON.stringify(commands)}`
      )
      histories = fitting
      for (const { learn } of made) learn(knowledge)
    }
  })

it.layer(Layer.provideMerge(SqlStorage.layer, Postgres.layer), { excludeTestServices: true, timeout: "180 seconds" })(
  "Storage on Postgres",
  (it) => {
    it.effect.prop(
      "does for callers at once what it does for them in some order",
      { groups: Groups },
      ({ groups }) => fitsSomeOrder(groups),
      { arbitrary: { runs, size: most }, timeout: 60_000 + runs * 10_000 }
    )
  }
)
