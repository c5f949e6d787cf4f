/** Conditions on the pauses of carriers, and the carriers of live workers. The tables have a row for each carrier, and one for each process: they are read whole. */
import { Limits } from "@outdial/core"
import { DateTime } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** Whether the carrier that this expression names is paused. */
export const isPaused = (sql: SqlClient.SqlClient, carrier: Statement.Fragment): Statement.Fragment =>
  sql`exists (
    select from outdial_carriers as k
    where k.name = ${carrier}
      and k.paused_at is not null
  )`

/** The names of all paused carriers, as an array. */
export const names = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`array(
    select k.name
    from outdial_carriers as k
    where k.paused_at is not null
  )`

/** The carriers `n.name` of live workers, as a from clause. */
const running = (sql: SqlClient.SqlClient, now: DateTime.Utc): Statement.Fragment =>
  sql`outdial_workers as w
      cross join json_array_elements_text(w.carriers) as n (name)
      where w.seen_at > ${DateTime.toDateUtc(DateTime.subtractDuration(now, Limits.workerGone))}`

/** The names of the carriers that live workers have, as an array. */
export const runningNames = (sql: SqlClient.SqlClient, now: DateTime.Utc): Statement.Fragment =>
  sql`array(
    select n.name
    from ${running(sql, now)}
  )`

/** Whether carriers are paused, and no live worker has one that is not. */
export const isDialingPaused = (sql: SqlClient.SqlClient, now: DateTime.Utc): Statement.Fragment =>
  sql`(
    exists (
      select from outdial_carriers as k
      where k.paused_at is not null
    )
    and not exists (
      select from ${running(sql, now)}
        and not ${isPaused(sql, sql`n.name`)}
    )
  )`
