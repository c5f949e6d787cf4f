/**
 * SQL storage against memory: random commands over the whole port, with time going by. A failure is reported as the shortest
 * commands that show it, with a seed to replay it; OUTDIAL_MODEL_RUNS makes it a long run.
 */
import { assert, it } from "@effect/vitest"
import { Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Effect, Layer, Schema } from "effect"
import * as Commands from "./Commands.ts"
import * as Difference from "./Difference.ts"
import * as Knowledge from "./Knowledge.ts"
import * as Reads from "./Reads.ts"
import * as Storages from "./Storages.ts"
import * as Pglite from "../support/pglite.ts"
import * as Postgres from "../support/postgres.ts"

const runs = Number(process.env["OUTDIAL_MODEL_RUNS"] ?? 3)

/** Commands of a run, at most. */
const most = 150

const agrees = (commands: ReadonlyArray<Commands.Command>) =>
  Effect.gen(function*() {
    const sql = yield* Storage.Storage
    const memory = yield* Storages.memory
    const knowledge = Knowledge.make()
    yield* Storages.empty
    for (const storage of [memory, sql]) yield* Storages.open(storage, knowledge)
    for (const [index, command] of commands.entries()) {
      const step = Commands.stepOf(knowledge, command)
      const observed = (storage: Knowledge.Port) =>
        Effect.gen(function*() {
          const { answer, learn } = yield* step.run(storage)
          const seen = yield* Reads.readAccount(storage, knowledge, Commands.accountOf(knowledge, command))
          return { learn, result: { answer, seen, around: yield* Reads.readShared(storage, knowledge) } }
        })
      const inMemory = yield* observed(memory)
      const inSql = yield* observed(sql)
      const difference = Difference.between([inMemory.result, []], [inSql.result, yield* Storages.halves])
      if (difference !== undefined) {
        assert.fail(`After ${index + 1} commands, ${JSON.stringify(command)}: ${difference}`)
      }
      inMemory.learn(knowledge)
    }
    for (const known of knowledge.accounts) {
      const [inMemory, inSql] = yield* Effect.forEach([memory, sql], (one) => Reads.readAccount(one, knowledge, known))
      assert.isUndefined(Difference.between(inMemory, inSql))
    }
  })

/** PGlite runs the same SQL, more slowly, without parallel work. */
const databases = {
  PGlite: { layer: Pglite.layer, runs: Math.ceil(runs / 3) },
  Postgres: { layer: Postgres.layer, runs }
}

for (const [name, { layer, runs }] of Object.entries(databases)) {
  it.layer(Layer.provideMerge(SqlStorage.layer, layer), { excludeTestServices: true, timeout: "180 seconds" })(
    `Storage on ${name}`,
    (it) => {
      it.effect.prop(
        "has the same results and state as memory, for commands in any order",
        { commands: Schema.Array(Commands.Command).check(Schema.isMaxLength(most)) },
        ({ commands }) => agrees(commands),
        { arbitrary: { runs, size: most }, timeout: 60_000 + runs * 10_000 }
      )
    }
  )
}
