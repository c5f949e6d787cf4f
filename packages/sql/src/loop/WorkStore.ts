/**
 * Which accounts have work, and when the next work is due. Both use the same queries, so that every announced instant has
 * work. These plain reads are the only ones across accounts.
 */
import { type Ids, Limits, type Storage } from "@outdial/core"
import { DateTime, Duration, Effect, Option } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as DeliveriesDue from "../webhook/DeliveriesDue.ts"
import * as Lanes from "../dispatch/Lanes.ts"
import * as LiveCalls from "../policy/LiveCalls.ts"
import * as Retention from "../privacy/Retention.ts"

const idempotencySeconds = Duration.toSeconds(Limits.idempotencyRetention)
const retentionSeconds = Duration.toSeconds(Limits.eventRetention)

interface AccountRow {
  readonly account_id: Ids.AccountId
}

type Work = Storage.WorkStore["Service"] & {
  /** For `snapshot`. */
  readonly dueSince: (now: DateTime.Utc) => Effect.Effect<Storage.StorageSnapshot["dueSince"], Storage.StorageError>
}

export const make = ({ sql, statement }: Database): Work => {
  /** In days. A policy written by hand may have any value. */
  const retentionOf = (field: "callDays" | "transcriptDays") =>
    sql`case when a.policy #>> ${`{retention,${field}}`}::text[] ~ '^[0-9]{1,5}$'
      then (a.policy #>> ${`{retention,${field}}`}::text[])::int end`

  /** The pending outcomes `p` of an account `a`, each with its call `c`. */
  const pendingOf = sql`
        from outdial_pending_outcomes as p
        cross join lateral (
          select c.outcome_token, c.outcome_lease_until
          from outdial_calls as c
          where c.account_id = a.id
            and c.id = p.call_id
          limit 1
        ) as c
        where p.account_id = a.id`

  /** For each kind, the accounts with such work, and when its earliest is due: all accounts, or those due by then. */
  const workBy = (
    by?: Date,
    carriers?: ReadonlyArray<Ids.CarrierName>
  ): { readonly [Kind in Storage.WorkKind]: Statement.Fragment } => ({
    // Index: outdial_calls_due, one row per account, lane and priority; outdial_calls_lines for the lines in use. A call that
    // cannot be dialed is not work; otherwise a full queue would always be due.
    dial: sql`
      select a.id as account_id, greatest(due.due_at, a.blocked_until) as due_at
      from outdial_accounts as a
      join outdial_dial_switches as g on g.account_id = a.id
      join outdial_deployment as d on d.id = 1
      cross join lateral (
        with recursive lanes as (
          ${Lanes.first(sql, sql`a.id`)}
          union all
          ${Lanes.next(sql, sql`a.id`)}
        )
        select min(greatest(first.due_at, k.until)) as due_at
        from lanes as l
        left join outdial_closed_lanes as k on k.account_id = a.id and k.lane = l.lane
        cross join (values (0), (1)) as p (priority)
        cross join lateral (
          select c.due_at
          from outdial_calls as c
          where c.account_id = a.id
            and c.stage = 'queued'
            and c.lane = l.lane
            and c.priority = p.priority
          order by c.due_at
          limit 1
        ) as first
      ) as due
      where not g.paused
        and not d.paused
        and due.due_at is not null
        ${by === undefined ? sql`` : sql`and (a.blocked_until is null or a.blocked_until <= ${by})`}
        and a.lines > (
          select count(*)
          from outdial_calls as c
          where c.account_id = a.id
            and ${LiveCalls.isLive(sql)}
        )`,
    // Index: outdial_calls_due, from both ends: the lanes of one plan are adjacent, so all belong to it if the first and the
    // last do. Always due, because replanning waits for no instant.
    plan: sql`
      select a.id as account_id, a.created_at as due_at
      from outdial_accounts as a
      join outdial_deployment as d on d.id = 1
      cross join lateral ${Lanes.first(sql, sql`a.id`)} as low
      cross join lateral ${Lanes.last(sql, sql`a.id`)} as high
      where not starts_with(low.lane, ${Lanes.planned(sql)})
        or not starts_with(high.lane, ${Lanes.planned(sql)})`,
    // Index: outdial_calls_expiry, one row per account; its predicate has to be written for it.
    expiry: sql`
      select a.id as account_id, due.expires_at as due_at
      from outdial_accounts as a
      cross join lateral (
        select c.expires_at
        from outdial_calls as c
        where c.account_id = a.id
          and case when c.stage = 'queued' then true end
        order by c.expires_at
        limit 1
      ) as due`,
    // Index: outdial_calls_lines, which has only live calls.
    lease: sql`
      select a.id as account_id, first.due_at
      from outdial_accounts as a
      cross join lateral (
        select min(c.lease_until) as due_at
        from outdial_calls as c
        where c.account_id = a.id
          and ${LiveCalls.isLive(sql)}
          ${LiveCalls.isOfCarriers(sql, carriers)}
      ) as first
      where first.due_at is not null`,
    // Index: primary keys, that of outdial_pending_outcomes in its order up to the first that is not claimed: a lease runs
    // out after the outcome was due, so those after it are not due earlier. Few outcomes are claimed.
    outcome: sql`
      select a.id as account_id, least(first.due_at, (
        select min(c.outcome_lease_until)
        ${pendingOf}
          and c.outcome_token is not null
          and p.due_at <= coalesce(first.due_at, 'infinity')
      )) as due_at
      from outdial_accounts as a
      left join lateral (
        select p.due_at
        ${pendingOf}
          and c.outcome_token is null
        order by p.due_at, p.call_id
        limit 1
      ) as first on true`,
    delivery: sql`(${DeliveriesDue.inRange(sql)})`,
    // No index: the table has only batches with calls that have just ended.
    batch: sql`
      select b.account_id, min(b.ended_at) as due_at
      from outdial_batch_ends as b
      group by b.account_id`,
    // Index: outdial_events_newest, the last row per account.
    retention: sql`
      select a.id as account_id, oldest.created_at + ${retentionSeconds}::int * interval '1 second' as due_at
      from outdial_accounts as a
      cross join lateral (
        select e.created_at
        from outdial_events as e
        where e.account_id = a.id
          and e.created_at > '-infinity'
        order by e.created_at, e.id
        limit 1
      ) as oldest`,
    // Indexes: the first rows of outdial_idempotency_keys_oldest and of each stage in outdial_calls_stage. Rows that
    // must stay for another reason are also due: the sweeper skips them.
    sweep: sql`
      select a.id as account_id, least(
        (
          select i.created_at + ${idempotencySeconds}::int * interval '1 second'
          from outdial_idempotency_keys as i
          where i.account_id = a.id
          order by i.created_at
          limit 1
        ),
        case when ${retentionOf("callDays")} is not null then (
          select min(c.created_at) + ${retentionOf("callDays")} * interval '1 day'
          from unnest(${["queued", ...Retention.ended]}::text[]) as s (stage)
          cross join lateral (
            select c.created_at
            from outdial_calls as c
            where c.account_id = a.id
              and c.stage = s.stage
              and c.stage <> 'live'
              and c.created_at > '-infinity'
            order by c.created_at, c.id
            limit 1
          ) as c
        ) end,
        case when ${retentionOf("transcriptDays")} is not null then (
          select c.created_at + ${retentionOf("transcriptDays")} * interval '1 day'
          from outdial_calls as c
          where c.account_id = a.id
            and c.stage = 'completed'
            and c.created_at > '-infinity'
          order by c.created_at, c.id
          limit 1
        ) end
      ) as due_at
      from outdial_accounts as a`
  })
  /** The accounts after `after`, then the others; stops when there are enough. */
  const deliveriesRoundRobin = (
    { after, limit, now }: { readonly after: Ids.AccountId; readonly limit: number; readonly now: DateTime.Utc }
  ) => {
    const due = (range: DeliveriesDue.Range) =>
      sql`
        select w.account_id
        from (${DeliveriesDue.inRange(sql, range)}) as w
        where w.due_at <= ${DateTime.toDateUtc(now)}
        limit ${limit}`
    // May read every account with open deliveries, by the indexes of `DeliveriesDue`.
    return sql<AccountRow>`
      (${due({ after })})
      union all
      (${due({ upTo: after })})
      limit ${limit}`
  }

  return {
    accountsDue: Effect.fn("WorkStore.accountsDue")(({ after, carriers, kind, limit, now }) =>
      // Reads every account, by primary keys, and its work by the index of the kind.
      statement(Effect.map(
        kind === "delivery" && after !== undefined
          ? deliveriesRoundRobin({ after, limit, now })
          : sql<AccountRow>`
          select w.account_id
          from (${workBy(DateTime.toDateUtc(now), carriers)[kind]}) as w
          where w.due_at <= ${DateTime.toDateUtc(now)}
          order by ${after === undefined ? sql`w.due_at` : sql`w.account_id <= ${after}`}, w.account_id
          limit ${limit}`,
        (rows) => rows.map((row) => row.account_id)
      ))
    ),

    // Reads every account, by primary keys, and its work by the indexes of the kinds.
    dueSince: Effect.fnUntraced(function*(now) {
      const at = DateTime.toDateUtc(now)
      const work = workBy(at)
      const oldest = (kind: Storage.TimelyKind) =>
        sql`
          select ${kind} as kind, min(w.due_at) as due_at
          from (${work[kind]}) as w
          where w.due_at <= ${at}`
      const rows = yield* statement(sql<{ readonly kind: Storage.TimelyKind; readonly due_at: Date | null }>`
        ${oldest("dial")}
        union all
        ${oldest("expiry")}
        union all
        ${oldest("lease")}
        union all
        ${oldest("outcome")}
        union all
        ${oldest("delivery")}
        union all
        ${oldest("batch")}`)
      return new Map(
        rows.flatMap(({ due_at, kind }) => due_at === null ? [] : [[kind, DateTime.fromDateUnsafe(due_at)] as const])
      )
    }),

    // Reads every account, by primary keys, and its work by the indexes of the kinds.
    nextDueAt: Effect.fn("WorkStore.nextDueAt")(({ carriers }) => {
      const all = workBy(undefined, carriers)
      return statement(Effect.map(
        sql<{ readonly due_at: Date | null }>`
        select min(w.due_at) as due_at
        from (
          ${all.dial}
          union all
          ${all.plan}
          union all
          ${all.expiry}
          union all
          ${all.lease}
          union all
          ${all.outcome}
          union all
          ${all.delivery}
          union all
          ${all.batch}
          union all
          ${all.retention}
        ) as w`,
        ([row]) => Option.map(Option.fromNullishOr(row?.due_at), DateTime.fromDateUnsafe)
      ))
    })
  }
}
