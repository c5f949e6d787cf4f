/** A database of its own on the Postgres of the test run, with Outdial's schema; dropped with the scope. */
import { PgClient } from "@effect/sql-pg"
import { Migrations, Postgres } from "@outdial/sql"
import { Effect, Layer, Redacted, Schedule, String } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import type {} from "./postgresSetup.ts"

const layerOf = (url: string) => Postgres.layer({ url: Redacted.make(url) })

const onServer = (url: string, statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(layerOf(url)))

/** The address of a new and empty database, with the settings of its server. */
export const databaseAsIs = Effect.gen(function*() {
  const server = inject("postgresUrl")
  const name = `outdial_test_${randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(
    // The server may still be starting: see `postgresSetup`.
    onServer(server, `create database ${name}`).pipe(
      Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 500 })
    ),
    () => Effect.ignore(onServer(server, `drop database ${name} with (force)`))
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.toString()
})

/**
 * The same, in which a commit does not wait for the disk: locks and what transactions see are the same, and only a crash of
 * the server could lose what was committed.
 */
export const database = Effect.tap(
  databaseAsIs,
  (url) => onServer(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`)
)

/** The client of a new database without tables. */
export const layerEmpty = Layer.unwrap(Effect.map(database, layerOf))

/** The client of a new database. */
export const layer = Layer.provideMerge(Migrations.layer, layerEmpty)

/** The client of a new database, renaming columns both ways as a host's may. */
export const layerRenaming = Layer.provideMerge(
  Migrations.layer,
  Layer.unwrap(Effect.map(database, (url) =>
    PgClient.layer({
      url: Redacted.make(url),
      transformQueryNames: String.camelToSnake,
      transformResultNames: String.snakeToCamel
    })))
)
