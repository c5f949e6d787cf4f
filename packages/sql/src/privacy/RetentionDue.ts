/** The accounts `account_id` with data past its retention, and since when. */
import { Limits } from "@outdial/core"
import { Duration } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as Retention from "./Retention.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

const idempotencySeconds = Duration.toSeconds(Limits.idempotencyRetention)
const retentionSeconds = Duration.toSeconds(Limits.eventRetention)

/** Events. */
export const events = (sql: SqlClient.SqlClient): Statement.Fragment =>
  // Index: outdial_events_newest, the last row per account.
  sql`
    select a.id as account_id, oldest.created_at + ${retentionSeconds}::int * interval '1 second' as due_at
    from outdial_accounts as a
    cross join lateral (
      select e.created_at
      from outdial_events as e
      where e.account_id = a.id
        and ${PlannerHints.isListed(sql, "e")}
      order by e.created_at, e.id
      limit 1
    ) as oldest`

/** Recordings to be removed, idempotency keys, calls and transcripts. Rows that must stay for another reason are also due: the sweeper skips them. */
export const sweeps = (sql: SqlClient.SqlClient): Statement.Fragment => {
  /** In days. A policy written by hand may have any value. */
  const days = (field: "callDays" | "transcriptDays") =>
    sql`case when a.policy #>> ${`{retention,${field}}`}::text[] ~ '^[0-9]{1,5}$'
      then (a.policy #>> ${`{retention,${field}}`}::text[])::int end`
  // Indexes: the first rows of the primary key of outdial_unwanted_recordings, of outdial_idempotency_keys_oldest, of each stage in outdial_calls_stage, and of
  // outdial_conversations_oldest with the primary keys of their calls.
  return sql`
    select a.id as account_id, least(
      (
        select a.created_at
        from outdial_unwanted_recordings as r
        where r.account_id = a.id
        limit 1
      ),
      (
        select i.created_at + ${idempotencySeconds}::int * interval '1 second'
        from outdial_idempotency_keys as i
        where i.account_id = a.id
        order by i.created_at
        limit 1
      ),
      case when ${days("callDays")} is not null then (
        select min(c.created_at) + ${days("callDays")} * interval '1 day'
        from unnest(${["queued", ...Retention.ended]}::text[]) as s (stage)
        cross join lateral (
          select c.created_at
          from outdial_calls as c
          where c.account_id = a.id
            and c.stage = s.stage
            and c.stage <> 'live'
            and ${PlannerHints.isListed(sql, "c")}
          order by c.created_at, c.id
          limit 1
        ) as c
      ) end,
      case when ${days("transcriptDays")} is not null then (
        select c.created_at + ${days("transcriptDays")} * interval '1 day'
        from outdial_calls as c
        where c.account_id = a.id
          and c.stage = 'completed'
          and ${PlannerHints.isListed(sql, "c")}
        order by c.created_at, c.id
        limit 1
      ) end,
      case when ${days("transcriptDays")} is not null then (
        select o.created_at + ${days("transcriptDays")} * interval '1 day'
        from outdial_conversations as o
        cross join lateral (
          select c.id
          from outdial_calls as c
          where c.account_id = a.id
            and c.id = o.call_id
            and case when c.stage = 'live' then false else true end
          limit 1
        ) as c
        where o.account_id = a.id
          and o.created_at > '-infinity'
        order by o.created_at, o.call_id
        limit 1
      ) end
    ) as due_at
    from outdial_accounts as a`
}
