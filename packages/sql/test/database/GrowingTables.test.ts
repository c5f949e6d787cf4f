import { assert, it } from "@effect/vitest"
import { Lane } from "@outdial/core"
import { Migrations, Postgres, SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { database } from "../../../../test/support/postgres.ts"
import * as Racing from "../support/Races.ts"

/** From the sixth run on, Postgres may keep a plan that it made without looking at the values. */
const runsUntilKept = 7

const addedRows = 20_000

/** Statements are prepared by connection, and so there is only one. */
const layer = SqlStorage.layer.pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(
    Layer.unwrap(Effect.map(database, (url) => Postgres.layer({ url: Redacted.make(url), maxConnections: 1 })))
  )
)

/** Adds rows of another account. The planner's statistics stay as they are. */
const grow = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { agentId, id } = yield* Racing.make()
  const at = DateTime.toDateUtc(Factories.start)
  const rows = sql`generate_series(1, ${addedRows}::int) as n`
  yield* sql`
    insert into outdial_call_requests (
      account_id, id, agent_id, agent_version, batch_id, batch_index, test, phone_number, contact, variables, metadata,
      created_at
    )
    select ${id}, 'call_' || lpad(n::text, 26, '0'), ${agentId}, 1, 'batch_' || n / 1000, n % 1000, false,
      '+1' || (2000000000 + n), '{}', '{}', '{}', ${at}
    from ${rows}`.unprepared
  yield* sql`
    insert into outdial_calls (
      account_id, id, priority, test, phone_number, status, created_at, lane, due_at, expires_at, unavailable_count,
      has_recording, outcome_state
    )
    select ${id}, 'call_' || lpad(n::text, 26, '0'), 1, false, '+1' || (2000000000 + n), 'queued', ${at},
      ${Lane.make({ planVersion: 1, timeZones: [] })}, ${at}, ${at}::timestamptz + interval '7 days', 0, false, 'none'
    from ${rows}`.unprepared
  yield* sql`
    insert into outdial_do_not_call (account_id, phone_number, source, created_at)
    select ${id}, '+1' || (3000000000 + n), 'api', ${at}
    from ${rows}`.unprepared
})

/** How many rows scans of whole tables have read so far. */
const scannedRows = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_stat_force_next_flush()`.unprepared
  yield* sql`select pg_stat_clear_snapshot()`.unprepared
  const [row] = yield* sql<{ readonly scanned: number }>`
    select sum(s.seq_tup_read)::int as scanned
    from pg_stat_user_tables as s`.unprepared
  return row?.scanned ?? 0
})

const page = { limit: 10, after: Option.none() }

/** The work of an account, with so many numbers at a time. */
const tasks = (account: Racing.Racing, count: number) => {
  const numbers = () => Array.from({ length: count }, () => Factories.phoneNumber())
  const { agentId, id: accountId, storage } = account
  const phoneNumber = Factories.phoneNumber()
  const filters = [{}, { agentId }, { phoneNumber }, { agentId, statuses: ["queued"] }] as const
  return {
    facts: Effect.suspend(() =>
      storage.calls.dialFacts({ accountId, now: Factories.start, phoneNumbers: numbers(), rules: Factories.rules })
    ),
    batch: Effect.gen(function*() {
      const started = yield* account.startBatch(numbers())
      const batchId = "stored" in started ? started.stored.batch.id : yield* Effect.die(started)
      yield* account.end(yield* account.submit(yield* account.claim()))
      yield* storage.calls.getBatch(accountId, batchId)
      yield* account.cancelBatch(batchId)
    }),
    lists: Effect.forEach(filters, (filter) => storage.calls.list({ accountId, filter, page })),
    returned: Effect.gen(function*() {
      yield* account.start()
      yield* account.giveBack(yield* account.claim(0, 1))
    }),
    doNotCall: Effect.suspend(() => {
      const phoneNumber = Factories.phoneNumber()
      return Effect.andThen(account.start({ phoneNumber }), account.doNotCall([phoneNumber]))
    })
  }
}

/** Many fewer than there are numbers: a statement may read a table once, until Postgres updates its statistics. */
const mostScans = 10

/** Tries tables from which plans for so many numbers are kept. */
const tables = (name: string, count: number) =>
  it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name} tables that grow`, (it) => {
    it.effect("are not read as a whole for each row, by plans from when they were small", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const account = yield* Racing.make(Factories.openPolicy, 100)
        const work = Effect.all(Object.values(tasks(account, count)), { discard: true })
        yield* work
        yield* sql`vacuum analyze`.unprepared
        for (let run = 0; run < runsUntilKept; run++) yield* work
        yield* grow
        for (const [name, task] of Object.entries(tasks(account, 50))) {
          const scanned = yield* scannedRows
          yield* task
          assert.isAtMost(((yield* scannedRows) - scanned) / addedRows, mostScans, name)
        }
      }))
  })

tables("Tiny", 2)
tables("Small", 50)
