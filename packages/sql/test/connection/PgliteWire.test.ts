import { PGlite } from "@electric-sql/pglite"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Buffer } from "node:buffer"
import type { Duplex } from "node:stream"
import * as PgliteWire from "../../src/connection/PgliteWire.ts"

/** Makes the streams of one PGlite, as each test's clients share them. */
class Streams extends Context.Service<Streams, () => Duplex>()("@outdial/sql/test/Streams") {}

const streams = Layer.effect(
  Streams,
  Effect.map(
    Effect.acquireRelease(Effect.promise(() => PGlite.create()), (db) => Effect.promise(() => db.close())),
    (db) => PgliteWire.make((messages) => db.execProtocolRaw(messages))
  )
)

/** Runs with a client of its own, which is closed at the end. */
const withClient = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(Streams, (stream) => Effect.provide(effect, clientOver(stream)))

const clientOver = (stream: () => Duplex) =>
  PgClient.layer({ stream, ssl: false, database: "postgres", username: "postgres", maxConnections: 1 })

/** The stream, taking apart what is written to it into pieces of `size` bytes. */
const inPieces = (make: () => Duplex, size: number) => () => {
  const stream = make()
  const write = stream.write.bind(stream)
  stream.write = (chunk: Uint8Array) => {
    for (let start = 0; start < chunk.length; start += size) write(Buffer.from(chunk.subarray(start, start + size)))
    return true
  }
  return stream
}

it.layer(streams, { excludeTestServices: true, timeout: "60 seconds" })("The wire to PGlite", (it) => {
  it.effect("resets what an earlier stream left open", () =>
    Effect.gen(function*() {
      yield* withClient(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const connection = yield* sql.reserve
          yield* connection.executeRaw("create table kept (id int)", [])
          yield* connection.executeRaw("set time zone 'Asia/Tokyo'", [])
          yield* connection.executeRaw("begin", [])
          yield* connection.executeRaw("create table lost (id int)", [])
        }).pipe(Effect.scoped)
      )
      const [row] = yield* withClient(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`
          select
            to_regclass('kept') is not null as kept,
            to_regclass('lost') is not null as lost,
            current_setting('timezone') = 'Asia/Tokyo' as tokyo`))
      assert.deepStrictEqual(row, { kept: true, lost: false, tokyo: false })
    }))

  it.effect("joins messages that arrive in pieces", () =>
    Effect.gen(function*() {
      const text = "ä".repeat(500)
      const echo = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select ${text}::text as text`)
      for (const size of [1, 3, 64]) {
        const rows = yield* Effect.provide(echo, clientOver(inPieces(yield* Streams, size)))
        assert.deepStrictEqual(rows, [{ text }])
      }
    }))

  it.effect("passes parameters and answers of several megabytes", () =>
    withClient(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const text = "x".repeat(4_000_000)
      const [row] = yield* sql<{ readonly text: string }>`select ${text}::text as text`
      assert.strictEqual(row?.text.length, text.length)
    })))

  it.effect("serves others after an error or an interruption inside a transaction", () =>
    withClient(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(sql`select * from missing`)
      assert.strictEqual(error.reason._tag, "SqlSyntaxError")
      const slow = sql.withTransaction(Effect.andThen(
        sql`create table interrupted (id int)`,
        Effect.forever(sql`select count(*) from generate_series(1, 200000)`)
      ))
      const fiber = yield* Effect.forkChild(slow)
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* sql`select to_regclass('interrupted') as found`, [{ found: null }])
    })))

  it.effect("closes on a cancel request, without a call to PGlite", () =>
    Effect.promise(() =>
      new Promise<void>((resolve, reject) => {
        const stream = PgliteWire.make(() => Promise.reject(new Error("asked")))()
        stream.once("close", resolve).once("error", reject)
        // Length 16, the code of a CancelRequest, a process and its secret.
        stream.write(Buffer.from([0, 0, 0, 16, 4, 210, 22, 46, 0, 0, 0, 1, 0, 0, 0, 2]))
      })
    ))

  it.effect("fails a stream when PGlite fails, and serves the next one", () =>
    Effect.gen(function*() {
      const one = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 as one`)
      const stream = PgliteWire.make(() => Promise.reject(new Error("broken")))
      for (const _ of ["first", "next"]) {
        const error = yield* Effect.flip(Effect.provide(one, clientOver(stream)))
        assert.strictEqual(error.reason._tag, "ConnectionError")
      }
    }))

  it.effect("lets a second client wait for the first", () =>
    Effect.gen(function*() {
      const one = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(sql`select 1 as one`))
      const rows = yield* Effect.all([withClient(one), withClient(one), withClient(one)], { concurrency: "unbounded" })
      assert.deepStrictEqual(rows.flat(), [{ one: 1 }, { one: 1 }, { one: 1 }])
    }))
})
