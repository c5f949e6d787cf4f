/** What a turn leaves behind: bytes of write-ahead log, and bytes on disk, for each unit of its work. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Contender, Figure } from "./Measurement.ts"

export const figures = (name: string): readonly [Figure, Figure] => [
  {
    name: `${name}-log`,
    unit: "bytes of WAL a call",
    better: "less",
    goals: [{ text: "≤ 7 KB", isReached: (value) => value <= 7168 }]
  },
  { name: `${name}-disk`, unit: "bytes on disk a call", better: "less" }
]

/** Reports them after the pace of the contender, which works alone meanwhile, for `seconds` if its work is not counted. */
export const beside = (sql: SqlClient.SqlClient, { label, run }: Contender, seconds?: number): Contender => ({
  label,
  run: Effect.fnUntraced(function*(count) {
    const before = yield* written(sql)
    const [pace = Number.NaN] = yield* run(count)
    const after = yield* written(sql)
    const work = seconds === undefined ? count : pace * seconds
    return [pace, (after.log - before.log) / work, (after.disk - before.disk) / work]
  })
})

export const written = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly log: number; readonly disk: number }>`
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as log, pg_database_size(current_database())::float8 as disk`,
    ([row]) => row ?? { log: 0, disk: 0 }
  )
