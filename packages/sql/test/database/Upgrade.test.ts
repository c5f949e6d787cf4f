/** Data that version 0.1.0 has left before the list of workers: its four migrations, an account and a call that waits. */
import { assert, it } from "@effect/vitest"
import { Storage } from "@outdial/core"
import { Migrations, Pglite, SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { chmod, stat } from "node:fs/promises"
import * as DevProcess from "../../../../test/support/DevProcess.ts"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Accounts from "../../src/database/migrations/0001_accounts.ts"
import * as Calls from "../../src/database/migrations/0002_calls.ts"
import * as Events from "../../src/database/migrations/0003_events.ts"
import * as Keeping from "../../src/database/migrations/0004_keeping.ts"
import * as Racing from "../support/Races.ts"

const before = Migrations.runOf({
  "0001_accounts": Accounts.migration,
  "0002_calls": Calls.migration,
  "0003_events": Events.migration,
  "0004_keeping": Keeping.migration
})

/** What a node of the version before writes. */
const left = Effect.gen(function*() {
  yield* before
  const account = yield* Racing.make()
  const started = yield* account.start()
  if (started._tag !== "Started") return yield* Effect.die(started)
  return { id: account.id, call: started.call }
}).pipe(Effect.provide(SqlStorage.layer, { local: true }))

const upgraded = Effect.fnUntraced(function*({ call, id }: Effect.Success<typeof left>) {
  const storage = yield* Storage.Storage
  assert.strictEqual(yield* storage.state, "migrations_pending")
  assert.deepStrictEqual((yield* Migrations.run)[0], [5, "workers"])
  assert.strictEqual(yield* storage.state, "ready")
  assert.strictEqual((yield* storage.listAccounts)[0]?.id, id)
  assert.deepStrictEqual(yield* storage.getCall(id, call.id), Option.some(call))
  const worker = {
    id: Factories.workerId(),
    version: "1",
    runs: [],
    startedAt: Factories.start,
    seenAt: Factories.start
  }
  yield* storage.putWorker(worker)
  assert.deepStrictEqual(yield* storage.listWorkers(Factories.at(-1)), [worker])
}, Effect.provide(SqlStorage.layer, { local: true }))

it.layer(Postgres.layerEmpty, { excludeTestServices: true, timeout: "60 seconds" })("An upgrade", (it) => {
  it.effect("brings a schema of the version before on, with everything in it", () => Effect.flatMap(left, upgraded))
})

it.live("brings a data folder of the version before on, and closes it to other users", () =>
  Effect.gen(function*() {
    const dataDir = yield* DevProcess.folderWithDatabase
    const opened = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
      Effect.provide(use, Pglite.layer({ dataDir }), { local: true })
    const written = yield* opened(left)
    yield* Effect.promise(() => chmod(dataDir, 0o755))
    yield* opened(upgraded(written))
    assert.strictEqual((yield* Effect.promise(() => stat(dataDir))).mode & 0o777, 0o700)
  }), 60_000)
