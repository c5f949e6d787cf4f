/** A client that runs everything on another one, and keeps what was run with which values. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection } from "effect/sql"

export interface Recorded {
  readonly text: string
  /** Prepared statements may run by a plan that was made without looking at the values. */
  readonly prepared: boolean
  /** The values of some of its runs. */
  readonly samples: Array<ReadonlyArray<unknown>>
}

export type Log = Map<string, Recorded>

/** Enough to have seen a statement with few values and with many. */
const samplesMost = 4

export const layer = (log: Log): Layer.Layer<SqlClient.SqlClient, never, PgClient.PgClient> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function*() {
      const client = yield* PgClient.PgClient
      const keep = (text: string, prepared: boolean, values: ReadonlyArray<unknown>) => {
        const key = `${prepared} ${text}`
        const recorded = log.get(key) ?? { text, prepared, samples: [] }
        log.set(key, recorded)
        if (recorded.samples.length < samplesMost) recorded.samples.push(values)
      }
      const recording = (connection: SqlConnection.Connection): SqlConnection.Connection => ({
        execute: (text, values, transform) => {
          keep(text, true, values)
          return connection.execute(text, values, transform)
        },
        executeUnprepared: (text, values, transform) => {
          keep(text, false, values)
          return connection.executeUnprepared(text, values, transform)
        },
        executeValues: (text, values) => {
          keep(text, true, values)
          return connection.executeValues(text, values)
        },
        executeValuesUnprepared: (text, values) => {
          keep(text, false, values)
          return connection.executeValuesUnprepared(text, values)
        },
        executeRaw: (text, values) => {
          keep(text, true, values)
          return connection.executeRaw(text, values)
        },
        executeStream: (text, values, transform) => {
          keep(text, true, values)
          return connection.executeStream(text, values, transform)
        }
      })
      return yield* SqlClient.make({
        acquirer: Effect.map(client.reserve, recording),
        compiler: PgClient.makeCompiler(undefined, false),
        driver: client.driver,
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
