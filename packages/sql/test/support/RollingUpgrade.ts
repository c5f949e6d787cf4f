/**
 * Two versions of the nodes on one database: the previous one works while the next one migrates the schema and starts.
 * There is no earlier release yet, so this version is both, and a migration stands for the next; from the second release
 * on `previous` is taken from the package of the first, and `next` has the added migrations.
 */
import type { Storage } from "@outdial/core"
import { Migrations, SqlStorage } from "@outdial/sql"
import { Effect, type Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface Version {
  readonly storage: Layer.Layer<Storage.Storage, never, SqlClient.SqlClient>
  readonly migrate: typeof Migrations.run
}

export const previous: Version = { storage: SqlStorage.layer, migrate: Migrations.run }

/** A typical migration: a nullable column with an index, a table; nothing is dropped or renamed. */
const additive = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table outdial_calls add column later text`
  yield* sql`alter table outdial_accounts add column later int not null default 0`
  yield* sql`create table outdial_later (account_id text collate "C" primary key, note text)`
})

export const next: Version = { storage: SqlStorage.layer, migrate: Migrations.runOf({ "9999_later": additive }) }
