/** Statistics of the whole database, for operators. All reads are bounded: see `counted`. */
import { type Ids, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as Migrations from "../database/Migrations.ts"
import * as Lanes from "../dispatch/Lanes.ts"
import * as PausedCarriers from "../telephony/PausedCarriers.ts"

interface StatsRow {
  readonly queued: number
  readonly queued_estimate: number
  readonly live: number
  readonly lines: number
  readonly outcomes: number
  readonly outcomes_estimate: number
  readonly deliveries: number
  readonly deliveries_estimate: number
  readonly closed: number
  readonly open: number
  readonly disabled: number
  readonly paused_accounts: number
  readonly paused: boolean
  readonly faulty_carriers: number
  readonly paused_carriers: number
  readonly slots_taken_at: Date | null
}

/** Since when the oldest work of each kind is due, from `WorkStore`. */
type DueSince = (now: DateTime.Utc) => Effect.Effect<Storage.StorageSnapshot["dueSince"], Storage.StorageError>

export const make = (
  { sql, statement }: Database,
  dueSince: DueSince
): Storage.StorageStats["Service"] => {
  /** Counts up to a limit, in the order of an index that has only such rows: reads its beginning. */
  const counted = (rows: Statement.Fragment) =>
    sql`(
    select count(*)::int
    from (${rows} limit ${Limits.countedRows + 1}::int) as seen
  )`
  /** The planner's estimate of the index's rows, updated after about a tenth of them have changed. */
  const estimated = (index: string) =>
    sql`(
    select greatest(0, i.reltuples)::float8
    from pg_class as i
    where i.oid = to_regclass(${index})
  )`

  // Reads every account, which are few; everything that grows with calls by the indexes below.
  const read = sql<StatsRow>`
    select
      ${
    // Index: outdial_calls_due.
    counted(sql`
        select 1
        from outdial_calls as c
        where c.stage = 'queued'
        order by c.account_id, c.lane, c.priority, c.due_at, c.id`)} as queued,
      ${estimated("outdial_calls_due")} as queued_estimate,
      ${
    // Index: outdial_calls_lines, which has only live calls.
    sql`(
        select coalesce(sum(u.live), 0)::int
        from outdial_accounts as a
        cross join lateral (
          select count(*) as live
          from outdial_calls as c
          where c.account_id = a.id
            and c.stage = 'live'
        ) as u
      )`} as live,
      (select coalesce(sum(a.lines), 0)::int from outdial_accounts as a) as lines,
      ${
    // Primary key of outdial_pending_outcomes.
    counted(sql`
        select 1
        from outdial_pending_outcomes as p
        order by p.account_id, p.due_at, p.call_id`)} as outcomes,
      ${estimated("outdial_pending_outcomes_pkey")} as outcomes_estimate,
      ${
    // Index: outdial_deliveries_open.
    counted(sql`
        select 1
        from outdial_deliveries as d
        where d.state in ('pending', 'sending')
        order by d.account_id, d.subscriber, d.due_at, d.id`)} as deliveries,
      ${estimated("outdial_deliveries_open")} as deliveries_estimate,
      w.closed,
      w.open,
      w.disabled,
      (select count(*)::int from outdial_dial_switches as g where g.paused) as paused_accounts,
      d.paused,
      k.faulty_carriers,
      k.paused_carriers,
      (select max(k.slots_taken_at) from outdial_carriers as k) as slots_taken_at
    from outdial_deployment as d
    cross join (
      select
        (count(*) filter (where k.paused_by = 'fault'))::int as faulty_carriers,
        (count(*) filter (where k.paused_by = 'operator'))::int as paused_carriers
      from outdial_carriers as k
    ) as k
    cross join (
      select
        (count(*) filter (where w.enabled and w.open_until is null))::int as closed,
        (count(*) filter (where w.enabled and w.open_until is not null))::int as open,
        (count(*) filter (where not w.enabled))::int as disabled
      from outdial_webhooks as w
    ) as w`

  return {
    state: statement(Effect.gen(function*() {
      const [found] = yield* sql<
        { readonly name: string | null }
      >`select to_regclass(${Migrations.table})::text as name`
      if (found?.name === null || found?.name === undefined) return "migrations_pending"
      // No index: the table has a row for each migration. Later versions' migrations are safe for this one.
      const [row] = yield* sql<{ readonly latest: number | null }>`
        select max(m.migration_id) as latest
        from ${sql(Migrations.table)} as m`
      return (row?.latest ?? 0) >= Migrations.latest ? "ready" : "migrations_pending"
    })),

    strandedCalls: Effect.fn("StorageStats.strandedCalls")((now) =>
      // Indexes: outdial_calls_lines, primary keys. Reads every account.
      statement(Effect.map(
        sql<{ readonly carrier: Ids.CarrierName; readonly calls: number; readonly since: Date }>`
          select c.carrier, count(*)::int as calls, min(c.lease_until) as since
          from outdial_accounts as a
          join outdial_calls as c on c.account_id = a.id
          where c.stage = 'live'
            and c.carrier is not null
            and c.line_ended_at is null
            and c.lease_until < ${DateTime.toDateUtc(DateTime.subtractDuration(now, Limits.lineLease))}
          group by c.carrier
          order by c.carrier collate "C"`,
        (rows) => rows.map(({ since, ...row }) => ({ ...row, since: DateTime.fromDateUnsafe(since) }))
      ))
    ),

    missingCarriers: Effect.fn("StorageStats.missingCarriers")((now) =>
      // Index: outdial_calls_due, one step for each lane and priority. Reads every account.
      statement(Effect.map(
        sql<{ readonly carrier: Ids.CarrierName; readonly since: Date }>`
          select m.carrier, min(m.due_at) as since
          from (select ${PausedCarriers.runningNames(sql, now)} as names) as w
          cross join (
            select due.carrier, due.due_at
            from outdial_accounts as a
            join outdial_dial_switches as g on g.account_id = a.id
            join outdial_deployment as d on d.id = 1
            cross join lateral (
              with recursive lanes as (
                ${Lanes.first(sql, sql`a.id`)}
                union all
                ${Lanes.next(sql, sql`a.id`)}
              )
              select ${Lanes.carrierOf(sql, sql`l.lane`)} as carrier, first.due_at
              from lanes as l
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
          ) as m
          where cardinality(w.names) > 0
            and m.carrier <> all(w.names)
            and not ${PausedCarriers.isPaused(sql, sql`m.carrier`)}
            and m.due_at < ${DateTime.toDateUtc(DateTime.subtractDuration(now, Limits.lineLease))}
          group by m.carrier
          order by m.carrier collate "C"`,
        (rows) => rows.map(({ carrier, since }) => ({ carrier, since: DateTime.fromDateUnsafe(since) }))
      ))
    ),

    snapshot: Effect.fn("StorageStats.snapshot")(function*(now) {
      const [row] = yield* statement(read)
      // The migration that creates the table inserts its only row.
      if (row === undefined) return yield* Effect.die(new Error("outdial_deployment has no row"))
      return {
        queuedCalls: known(row.queued, row.queued_estimate),
        liveCalls: row.live,
        lines: row.lines,
        pendingOutcomes: known(row.outcomes, row.outcomes_estimate),
        openDeliveries: known(row.deliveries, row.deliveries_estimate),
        endpoints: { closed: row.closed, open: row.open, disabled: row.disabled },
        pausedAccounts: row.paused_accounts,
        deploymentPaused: row.paused,
        pausedCarriers: { fault: row.faulty_carriers, operator: row.paused_carriers },
        ...(row.slots_taken_at !== null && { slotsTakenAt: DateTime.fromDateUnsafe(row.slots_taken_at) }),
        dueSince: yield* dueSince(now)
      }
    })
  }
}

/** The exact count; beyond the limit the larger of the count and the estimate. */
const known = (counted: number, estimate: number) =>
  counted <= Limits.countedRows ? counted : Math.max(counted, Math.round(estimate))
