/** Overviews of accounts. Every read is bounded by `Limits`, and counts by indexes. */
import { type Call, type Ids, type Lane, Limits, type PhoneNumber, type StatusCode, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import * as PlannerHints from "../database/PlannerHints.ts"
import * as Lanes from "../dispatch/Lanes.ts"

type Overviews = Storage.OverviewStore["Service"]

interface LaneRow {
  readonly lane: Lane.Lane
  readonly phone_number: PhoneNumber.PhoneNumber
  readonly due: number
  readonly due_first: Date | null
  readonly later: number
  /** The first calls that are due later, by code. */
  readonly sample:
    | ReadonlyArray<{ readonly code: StatusCode.StatusCode | null; readonly calls: number; readonly first: string }>
    | null
}

interface AccountRow {
  readonly dialing: number
  readonly in_progress: number
  readonly open: number
  readonly due_at: Date | null
  readonly is_failing: boolean
}

interface DialedRow {
  readonly status: Call.CallStatus
  readonly calls: number
  readonly answered: number
}

export const make = ({ sql, statement }: Database): Overviews => {
  const lanes = (accountId: Ids.AccountId, now: Date) =>
    // Index: outdial_calls_due, from the beginning of each lane; its rows for the numbers and the codes of the sample.
    PlannerHints.plannedEachTime(sql<LaneRow>`
      with recursive lanes as (
        ${Lanes.first(sql, sql`${accountId}`)}
        union all
        ${Lanes.next(sql, sql`${accountId}`)}
      )
      select l.lane, n.phone_number, w.due, w.due_first, w.later, s.sample
      from (select lane from lanes limit ${Limits.overviewLanes + 1}) as l
      cross join lateral (
        select c.phone_number
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.stage = 'queued'
          and c.lane = l.lane
        order by c.priority, c.due_at, c.id
        limit 1
      ) as n
      cross join lateral (
        select
          (count(*) filter (where d.due_at <= ${now}))::int as due,
          min(d.due_at) filter (where d.due_at <= ${now}) as due_first,
          (count(*) filter (where d.due_at > ${now}))::int as later
        from (
          select c.due_at
          from outdial_calls as c
          where c.account_id = ${accountId}
            and c.stage = 'queued'
            and c.lane = l.lane
          order by c.priority, c.due_at, c.id
          limit ${Limits.overviewRows + 1}
        ) as d
      ) as w
      cross join lateral (
        select json_agg(json_build_object('code', g.status_code, 'calls', g.calls, 'first', g.first)) as sample
        from (
          select f.status_code, count(*) as calls, min(f.due_at) as first
          from unnest(array[0, 1]) as p (priority)
          cross join lateral (
            select c.status_code, c.due_at
            from outdial_calls as c
            where c.account_id = ${accountId}
              and c.stage = 'queued'
              and c.lane = l.lane
              and c.priority = p.priority
              and c.due_at > ${now}
            order by c.due_at, c.id
            limit ${Limits.overviewSample}
          ) as f
          group by f.status_code
        ) as g
      ) as s
      order by l.lane`)

  const account = (accountId: Ids.AccountId) =>
    // Indexes: outdial_calls_lines, which has only live calls; outdial_deliveries_open; primary key.
    sql<AccountRow>`
      select v.dialing, v.in_progress, o.open, o.due_at, coalesce((
        select w.open_until is not null
        from outdial_webhooks as w
        where w.account_id = ${accountId}
      ), false) as is_failing
      from (
        select
          (count(*) filter (where c.status = 'dialing'))::int as dialing,
          (count(*) filter (where c.status = 'in_progress'))::int as in_progress
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.stage = 'live'
      ) as v
      cross join (
        select count(*)::int as open, min(d.due_at) as due_at
        from (
          select d.due_at
          from outdial_deliveries as d
          where d.account_id = ${accountId}
            and d.subscriber = ''
            and d.state in ('pending', 'sending')
          order by d.due_at, d.id
          limit ${Limits.countedRows}
        ) as d
      ) as o`

  const dialed = (accountId: Ids.AccountId, since: Date) =>
    // Index: outdial_calls_dialed, backwards.
    PlannerHints.plannedEachTime(sql<DialedRow>`
      select d.status, count(*)::int as calls, (count(*) filter (where d.answered_at is not null))::int as answered
      from (
        select c.status, c.answered_at
        from outdial_calls as c
        where c.account_id = ${accountId}
          and ${PlannerHints.wasDialed(sql)}
          and c.dialed_at >= ${since}
        order by c.dialed_at desc
        limit ${Limits.overviewRows}
      ) as d
      group by d.status`)

  return {
    activity: Effect.fn("OverviewStore.activity")(({ accountId, now, since }) =>
      statement(Effect.gen(function*() {
        const waiting = yield* lanes(accountId, DateTime.toDateUtc(now))
        const statuses = yield* dialed(accountId, DateTime.toDateUtc(since))
        const [row] = yield* account(accountId)
        return {
          waiting: waiting.slice(0, Limits.overviewLanes).map(toLane),
          isExact: waiting.length <= Limits.overviewLanes &&
            waiting.every(({ due, later }) => due + later <= Limits.overviewRows),
          dialing: row?.dialing ?? 0,
          inProgress: row?.in_progress ?? 0,
          dialed: new Map(statuses.map(({ calls, status }) => [status, calls])),
          answered: statuses.reduce((sum, { answered }) => sum + answered, 0),
          openDeliveries: row?.open ?? 0,
          ...(row !== undefined && row.due_at !== null && { deliveryDueAt: DateTime.fromDateUnsafe(row.due_at) }),
          isWebhookFailing: row?.is_failing ?? false
        }
      }))
    ),

    marks: Effect.fn("OverviewStore.marks")((accountIds) =>
      // Indexes: outdial_calls_lines; outdial_calls_stage, outdial_events_newest, outdial_batches_newest and outdial_do_not_call_newest,
      // from their newest rows; outdial_deliveries_open; primary keys. An account has few agents and keys, and the deployment few
      // carriers.
      statement(Effect.map(
        PlannerHints.plannedEachTime(sql<MarksRow>`
          select a.id, v.live,
            q.id as queue,
            e.ids as events,
            b.id as batches,
            g.versions as agents,
            concat(a.name, ' ', a.lines, ' ', a.plan_version, ' ', s.paused, ' ', d.paused) as account,
            concat(n.phone_number, ' ', n.created_at) as do_not_call,
            concat(w.updated_at, ' ', w.enabled, ' ', w.open_until, ' ', w.generation) as webhook,
            concat(o.open, ' ', o.due_at, ' ', w.failures) as deliveries,
            k.keys,
            c.carriers
          from unnest(${accountIds}::text[]) as r (id)
          join outdial_accounts as a on a.id = r.id
          join outdial_dial_switches as s on s.account_id = a.id
          join outdial_deployment as d on d.id = 1
          left join outdial_webhooks as w on w.account_id = a.id
          cross join lateral (
            select json_object_agg(l.id, l.status) as live
            from (
              select c.id, c.status
              from outdial_calls as c
              where c.account_id = a.id
                and c.stage = 'live'
              order by c.dialed_at
              limit ${Limits.markedCalls}
            ) as l
          ) as v
          left join lateral (
            select c.id
            from outdial_calls as c
            where c.account_id = a.id
              and c.stage = 'queued'
              and ${PlannerHints.isListed(sql, "c")}
            order by c.created_at desc, c.id desc
            limit 1
          ) as q on true
          cross join lateral (
            select string_agg(e.id, ' ') as ids
            from (
              select e.id
              from outdial_events as e
              where e.account_id = a.id
                and ${PlannerHints.isListed(sql, "e")}
              order by e.created_at desc, e.id desc
              limit ${newestEvents}
            ) as e
          ) as e
          left join lateral (
            select b.id
            from outdial_batches as b
            where b.account_id = a.id
              and ${PlannerHints.isListed(sql, "b")}
            order by b.created_at desc, b.id desc
            limit 1
          ) as b on true
          cross join lateral (
            select string_agg(concat(g.id, ' ', g.version, ' ', g.archived_at), ' ' order by g.id) as versions
            from outdial_agents as g
            where g.account_id = a.id
          ) as g
          left join lateral (
            select n.phone_number, n.created_at
            from outdial_do_not_call as n
            where n.account_id = a.id
              and ${PlannerHints.isListed(sql, "n")}
            order by n.created_at desc, n.phone_number desc
            limit 1
          ) as n on true
          cross join lateral (
            select count(*) as open, min(p.due_at) as due_at
            from (
              select p.due_at
              from outdial_deliveries as p
              where p.account_id = a.id
                and p.subscriber = ''
                and p.state in ('pending', 'sending')
              order by p.due_at, p.id
              limit ${Limits.markedCalls}
            ) as p
          ) as o
          cross join lateral (
            select concat(count(*), ' ', count(k.revoked_at), ' ', max(k.created_at)) as keys
            from outdial_api_keys as k
            where k.account_id = a.id
          ) as k
          cross join (
            select string_agg(concat(c.name, ' ', c.paused_at, ' ', c.paused_by), ' ' order by c.name) as carriers
            from outdial_carriers as c
          ) as c`),
        (rows) => new Map(rows.map((row) => [row.id, toMarks(row)]))
      ))
    )
  }
}

/** Events that are compared: more than are written out of the order of their instants. */
const newestEvents = 5

interface MarksRow {
  readonly id: Ids.AccountId
  readonly live: { readonly [id: string]: Call.CallStatus } | null
  readonly queue: string | null
  readonly events: string | null
  readonly batches: string | null
  readonly agents: string | null
  readonly account: string | null
  readonly do_not_call: string | null
  readonly webhook: string | null
  readonly deliveries: string | null
  readonly keys: string | null
  readonly carriers: string | null
}

const toLane = ({ due, due_first, lane, later, phone_number, sample }: LaneRow): Storage.WaitingLane => {
  const sampled = (sample ?? []).reduce((sum, { calls }) => sum + calls, 0)
  return {
    lane,
    phoneNumber: phone_number,
    ...(due_first !== null && { due: { calls: due, first: DateTime.fromDateUnsafe(due_first) } }),
    later: (sample ?? []).map(({ calls, code, first }) => ({
      calls: Math.round(later * calls / sampled),
      first: DateTime.makeUnsafe(first),
      ...(code !== null && { statusCode: code })
    }))
  }
}

const toMarks = ({ id: _, live, do_not_call: doNotCall, ...marks }: MarksRow): Storage.AccountMarks => ({
  // The keys are ids of calls.
  live: new Map(Object.entries(live ?? {}) as Array<[Ids.CallId, Call.CallStatus]>),
  marks: {
    queue: marks.queue ?? "",
    events: marks.events ?? "",
    batches: marks.batches ?? "",
    agents: marks.agents ?? "",
    account: marks.account ?? "",
    doNotCall: doNotCall ?? "",
    webhook: marks.webhook ?? "",
    deliveries: marks.deliveries ?? "",
    keys: marks.keys ?? "",
    carriers: marks.carriers ?? ""
  }
})
