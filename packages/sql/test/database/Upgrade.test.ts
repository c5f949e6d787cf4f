/** Rows of earlier versions: after the migrations they all exist, with the current names. */
import { assert, it } from "@effect/vitest"
import { Ids, Storage, type Storage as StoragePort } from "@outdial/core"
import { Migrations, Pglite, SqlStorage } from "@outdial/sql"
import { DateTime, Effect, Option, Record } from "effect"
import { SqlClient } from "effect/sql"
import { chmod, stat } from "node:fs/promises"
import * as DevProcess from "../../../../test/support/DevProcess.ts"
import * as Postgres from "../../../../test/support/postgres.ts"
import rows from "../support/rowsOf0007.json" with { type: "json" }

const accountId = Ids.AccountId.make("acct_default")
const page = { limit: 100, after: Option.none() }

/** Runs the migrations up to the last one of a version. */
const migratedTo = (last: number) =>
  Migrations.runOf(Record.filter(Migrations.migrations, (_, name) => parseInt(name, 10) <= last))

/** The tables as the version with this last migration had them, with its rows: what it did not know is left out. */
const leftBy = Effect.fnUntraced(function*(last: number) {
  const sql = yield* SqlClient.SqlClient
  yield* migratedTo(last)
  yield* sql`delete from outdial_deployment`
  for (const [table, all] of Object.entries(rows)) {
    const known = yield* sql<{ readonly name: string }>`
      select column_name as name
      from information_schema.columns
      where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'`
    const columns = sql.literal(known.map(({ name }) => name).join(", "))
    yield* sql`
      insert into ${sql(table)} (${columns})
      select ${columns}
      from json_populate_recordset(null::${sql(table)}, ${JSON.stringify(all)}::json)`
  }
})

/** What the current storage shows of these rows. */
const shown = Effect.fnUntraced(function*(storage: StoragePort.Storage["Service"]) {
  const { items } = yield* storage.calls.list({ accountId, filter: {}, page })
  const byStatus = Object.groupBy(items, ({ status }) => status)
  assert.deepStrictEqual(Record.map(byStatus as Record<string, typeof items>, ({ length }) => length), {
    completed: 6,
    failed: 1,
    queued: 4
  })
  assert.strictEqual(byStatus.failed?.[0]?.statusCode, "superseded")
  // Retention deleted the transcripts of five calls; one of them was erased, and is in no list.
  const completed = yield* Effect.forEach(byStatus.completed ?? [], ({ id }) => storage.calls.get(accountId, id))
  assert.lengthOf(completed.filter((call) => Option.getOrThrow(call).outcome?.transcript.length === 0), 4)
  assert.isTrue(Option.getOrThrow(yield* storage.accounts.get(accountId)).paused)

  const events = yield* storage.events.list({ accountId, filter: {}, page })
  assert.lengthOf(events.items, 5)
  const [failed] = events.items.filter(({ body }) => body.includes("superseded"))
  assert.strictEqual(JSON.parse(failed?.body ?? "{}").data.status_code, "superseded")
  const { items: deliveries } = yield* storage.deliveries.list({ accountId, filter: {}, page })
  assert.deepStrictEqual(deliveries.map(({ state }) => state).sort(), [
    "delivered",
    "delivered",
    "delivered",
    "pending",
    "sending"
  ])
  return { failed: Option.fromUndefinedOr(failed), now: DateTime.makeUnsafe("2027-02-17T06:20:00.000Z") }
})

const upgraded = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const sql = yield* SqlClient.SqlClient
  assert.strictEqual(yield* storage.stats.state, "migrations_pending")
  yield* Migrations.run
  assert.strictEqual(yield* storage.stats.state, "ready")
  const { failed, now } = yield* shown(storage)
  // The redelivery that was requested while the delivery was being sent is kept.
  const [sending] = yield* sql`select redeliver_requested from outdial_deliveries where state = 'sending'`
  assert.deepStrictEqual(sending, { redeliver_requested: true })
  const result = yield* storage.deliveries.redeliver({ accountId, eventId: Option.getOrThrow(failed).id, now })
  assert.strictEqual(result._tag, "Redelivering")
  assert.lengthOf((yield* storage.events.readFeed({ accountId, after: 0, limit: 100 })).items, 5)
}).pipe(Effect.provide(SqlStorage.layer, { local: true }))

it.layer(Postgres.layerEmpty, { excludeTestServices: true, timeout: "60 seconds" })("An upgrade", (it) => {
  it.effect("migrates the rows of the previous version to the current names", () => Effect.andThen(leftBy(7), upgraded))
})

it.layer(Postgres.layerEmpty, { excludeTestServices: true, timeout: "60 seconds" })("An upgrade", (it) => {
  it.effect("migrates the rows of the version before the list of workers", () => Effect.andThen(leftBy(4), upgraded))
})

it.layer(Postgres.layerEmpty, { excludeTestServices: true, timeout: "60 seconds" })("An upgrade", (it) => {
  it.effect("migrates the rows of the version before conversations", () =>
    Effect.andThen(Effect.andThen(leftBy(7), migratedTo(8)), upgraded))
})

it.live("migrates a data folder of the previous version, and closes it to other users", () =>
  Effect.gen(function*() {
    const dataDir = yield* DevProcess.folderWithDatabase
    const opened = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
      Effect.provide(use, Pglite.layer({ dataDir }), { local: true })
    yield* opened(leftBy(7))
    yield* Effect.promise(() => chmod(dataDir, 0o755))
    yield* opened(upgraded)
    assert.strictEqual((yield* Effect.promise(() => stat(dataDir))).mode & 0o777, 0o700)
  }), 120_000)
