/**
 * The schema that a connection works in, and other schemas of its database with Outdial's tables. So a command on the wrong
 * schema does not create tables there and report success.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Migrations from "../database/Migrations.ts"

/** The schemas of a database. */
export interface SchemaState {
  /** The schema in which tables are created: the first existing one of the search path, or its only one. */
  readonly schema: string | undefined
  /** The last migration that has run, if there are tables. */
  readonly migration: number | undefined
  /** Other schemas with tables of Outdial. */
  readonly elsewhere: ReadonlyArray<string>
}

export const read: Effect.Effect<SchemaState, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  // Index: the catalog's on names. Every role can read it, whatever schemas it may use.
  const tables = yield* sql<{ readonly schema: string; readonly is_ours: boolean }>`
    select n.nspname as schema, coalesce(c.oid = to_regclass(${Migrations.table}), false) as is_ours
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    where c.relname = ${Migrations.table} and c.relkind = 'r'
    order by n.nspname`
  const elsewhere = tables.filter(({ is_ours }) => !is_ours).map(({ schema }) => schema)
  const ours = tables.find(({ is_ours }) => is_ours)
  if (ours === undefined) {
    const [current] = yield* sql<{ readonly schema: string | null; readonly path: string }>`
      select current_schema() as schema, current_setting('search_path') as path`
    return { schema: current?.schema ?? onlyOne(current?.path ?? ""), migration: undefined, elsewhere }
  }
  // Index: primary key, from its end.
  const [row] = yield* sql<{ readonly latest: number | null }>`
    select max(m.migration_id) as latest
    from ${sql(Migrations.table)} as m`
  return { schema: ours.schema, migration: row?.latest ?? undefined, elsewhere }
})

/** The name in a search path of one schema, as Postgres writes it. */
const onlyOne = (path: string): string | undefined => {
  const [, quoted, plain] = /^(?:"((?:[^"]|"")+)"|([^",\s]+))$/.exec(path) ?? []
  return quoted?.replaceAll("\"\"", "\"") ?? plain
}

/** The tables are missing, or they are of an earlier version. */
export class NotMigrated extends Schema.TaggedError<NotMigrated>()("NotMigrated", {
  reason: Schema.Literals(["no_tables", "earlier_version"]),
  /** Such as `The schema public`. */
  place: Schema.String,
  /** Schemas of the same database that have tables. */
  elsewhere: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const { elsewhere, place, reason } = this
    if (reason === "earlier_version") return `${place} has tables of an earlier version: run outdial migrate`
    return `${place} has no tables of Outdial. ${
      elsewhere.length === 0
        ? "Is it the right one (DATABASE_URL, OUTDIAL_SCHEMA, OUTDIAL_DATA)? For a new database run outdial migrate"
        : elsewhere.length === 1
        ? `The schema ${elsewhere[0]} has: set OUTDIAL_SCHEMA=${elsewhere[0]}`
        : `The schemas ${elsewhere.join(", ")} have: set OUTDIAL_SCHEMA to the right one`
    }`
  }
}

const named = (schemas: ReadonlyArray<string>): string =>
  schemas.length === 1 ? `They are in the schema ${schemas[0]}` : `They are in the schemas ${schemas.join(", ")}`

const placeOf = ({ schema }: SchemaState) => schema === undefined ? "The database" : `The schema ${schema}`

/** Fails unless the tables of this version exist. Creates nothing. */
export const required: Effect.Effect<void, NotMigrated | SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function*() {
    const state = yield* read
    const { elsewhere, migration } = state
    if (migration !== undefined && migration >= Migrations.latest) return
    return yield* new NotMigrated({
      reason: migration === undefined ? "no_tables" : "earlier_version",
      place: placeOf(state),
      elsewhere
    })
  }
)

/** Lets the layers above be built only if the tables of this version exist. */
export const layerRequired: Layer.Layer<never, NotMigrated | SqlError.SqlError, SqlClient.SqlClient> = Layer
  .effectDiscard(required)

/** Warns before tables are created while another schema has some, which may be a mistake. */
export const warnBeside: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function*() {
  const state = yield* read
  if (state.migration !== undefined || state.elsewhere.length === 0) return
  yield* Effect.logWarning(
    `${placeOf(state)} gets its own tables now. ${
      named(state.elsewhere)
    } as well. To use existing tables, set OUTDIAL_SCHEMA`
  )
})
