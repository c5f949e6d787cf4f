/** Usage by day: counted from the stored calls, plus the stored totals of deleted calls. */
import { Cost, type Ids, type LocalDays, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type Usage = Storage.UsageStore["Service"]

export const make = ({ sql, statement, transaction }: Database): Usage => {
  /** All dials before this instant are folded into the totals of their days. Primary key. */
  const foldedUntil = (accountId: Ids.AccountId) =>
    sql`coalesce((
      select f.folded_until
      from outdial_usage_folds as f
      where f.account_id = ${accountId}
    ), '-infinity')`

  /** What the dialed calls with this condition sum up to. */
  const counted = (accountId: Ids.AccountId, condition: Statement.Fragment) =>
    // Same as `durationSeconds` of a call. Test calls are not dialed.
    sql`
      select coalesce(sum(g.placed), 0)::int as placed, coalesce(sum(g.seconds), 0)::bigint as seconds,
        json_object_agg(g.currency, trim_scale(g.cost)::text) filter (where g.currency is not null) as costs
      from (
        select c.cost ->> 'currency' as currency, count(*) as placed, sum((c.cost ->> 'amount')::numeric) as cost,
          sum(greatest(0, round(extract(epoch from c.ended_at - c.answered_at)))) as seconds
        from outdial_calls as c
        where c.account_id = ${accountId}
          and ${PlannerHints.wasDialed(sql)}
          and ${condition}
        group by 1
      ) as g`

  const read = ({ accountId, days }: Parameters<Usage["read"]>[0]) =>
    // Indexes: outdial_calls_dialed, once for each day; primary keys. One statement, so that a call that is folded
    // concurrently is counted once.
    PlannerHints.plannedEachTime(sql<UsageRow>`
      select d.day, d.placed + coalesce(u.placed, 0) as placed, d.seconds + coalesce(u.seconds, 0) as seconds,
        d.costs, u.costs as folded_costs
      from (
        select r.day, r.place, live.placed, live.seconds, live.costs
        from json_to_recordset(${JSON.stringify(days.map(fromDay))}::json) as r (
          place int, day text, "from" timestamptz, until timestamptz
        )
        cross join lateral (
          ${
      counted(
        accountId,
        sql`c.dialed_at >= greatest(r."from", ${foldedUntil(accountId)}) and c.dialed_at < r.until`
      )
    }
        ) as live
      ) as d
      left join outdial_usage as u on u.account_id = ${accountId} and u.day = d.day
      order by d.place`)

  const fold = Effect.fnUntraced(function*({ accountId, day }: Parameters<Usage["fold"]>[0]) {
    const until = DateTime.toDateUtc(day.until)
    // Index: primary key. One fold at a time: the second finds nothing left to fold.
    yield* sql`
      insert into outdial_usage_folds (account_id, folded_until)
      values (${accountId}, '-infinity')
      on conflict do nothing`
    // Index: primary key.
    yield* sql`
      select f.folded_until
      from outdial_usage_folds as f
      where f.account_id = ${accountId}
      for update`
    // Indexes: outdial_calls_dialed; primary key.
    yield* sql`
      insert into outdial_usage as u (account_id, day, placed, seconds, costs)
      select ${accountId}, ${day.day}, t.placed, t.seconds, t.costs
      from (
        ${counted(accountId, sql`c.dialed_at >= ${foldedUntil(accountId)} and c.dialed_at < ${until}`)}
      ) as t
      where t.placed > 0
      on conflict (account_id, day) do update
      set placed = u.placed + excluded.placed,
        seconds = u.seconds + excluded.seconds,
        costs = (
          select json_object_agg(s.currency, trim_scale(s.cost)::text)
          from (
            select a.key as currency, sum(a.value::numeric) as cost
            from (
              select * from json_each_text(u.costs)
              union all
              select * from json_each_text(excluded.costs)
            ) as a
            group by a.key
          ) as s
        )`
    // Index: primary key.
    yield* sql`
      update outdial_usage_folds
      set folded_until = greatest(folded_until, ${until})
      where account_id = ${accountId}`
  })

  return {
    read: Effect.fn("UsageStore.read")((options) =>
      Effect.map(
        statement(read(options)),
        (rows) =>
          rows.map(({ costs, day, folded_costs, placed, seconds }) => ({
            day,
            callsPlaced: placed,
            secondsTalked: Number(seconds),
            costs: Cost.summed([...toCosts(costs), ...toCosts(folded_costs)])
          }))
      )
    ),
    oldestUnfolded: Effect.fn("UsageStore.oldestUnfolded")((accountId) =>
      // Index: outdial_calls_dialed, its first row after the folded ones.
      statement(Effect.map(
        sql<{ readonly dialed_at: Date }>`
          select c.dialed_at
          from outdial_calls as c
          where c.account_id = ${accountId}
            and ${PlannerHints.wasDialed(sql)}
            and c.dialed_at >= ${foldedUntil(accountId)}
          order by c.dialed_at
          limit 1`,
        ([row]) => Option.map(Option.fromUndefinedOr(row?.dialed_at), DateTime.fromDateUnsafe)
      ))
    ),
    fold: Effect.fn("UsageStore.fold")((options) => transaction(fold(options)))
  }
}

/** Amounts by currency. */
type CostsDocument = { readonly [currency: string]: string } | null

interface UsageRow {
  readonly day: string
  readonly placed: number
  readonly seconds: string
  readonly costs: CostsDocument
  readonly folded_costs: CostsDocument
}

const toCosts = (costs: CostsDocument) =>
  Object.entries(costs ?? {}).map(([currency, amount]) => ({ amount, currency }))

const fromDay = ({ day, from, until }: LocalDays.LocalDay, place: number) => ({
  place,
  day,
  from: DateTime.formatIso(from),
  until: DateTime.formatIso(until)
})
