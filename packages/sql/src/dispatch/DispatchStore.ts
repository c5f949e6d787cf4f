/** Queued and live calls after a claim: submission, reports, leases and expiry. See also `Claim` and `Replan`. */
import {
  CallLife,
  DialDecision,
  DialFacts,
  type Event,
  HoldHistory,
  HoldPeriods,
  type Ids,
  Lane,
  Limits,
  PlanData,
  Reports,
  type Storage
} from "@outdial/core"
import { DateTime, type Duration, Effect, Option } from "effect"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as PausedCarriers from "../telephony/PausedCarriers.ts"
import * as Claim from "./Claim.ts"
import * as Lanes from "./Lanes.ts"
import * as SharedPeriods from "../policy/SharedPeriods.ts"
import * as Replan from "./Replan.ts"
import * as ReadDialFacts from "../policy/ReadDialFacts.ts"
import * as DispatchDue from "./DispatchDue.ts"
import * as CallRequests from "../call/CallRequests.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

export const make = (database: Database, writes: CallWriter): Storage.DispatchStore["Service"] => {
  const { sql, statement, transaction } = database
  const facts = ReadDialFacts.make(database)
  const shared = SharedPeriods.make(database)

  const submit = ({ accountId, callIds, now, token }: Storage.SubmitOptions) =>
    // Same as `CallLife.submitted`. Indexes: primary keys. Share locks on the switches: the lock reads the current row, so a committed pause is seen even if this
    // statement began before it, and a later pause waits until the submission is done. The pause of a carrier is read without a lock, because
    // its row is written for each dial.
    sql<Pick<CallRows.StateRow, "id">>`
      with gate as materialized (
        select g.epoch
        from outdial_dial_switches as g
        join outdial_deployment as d on d.id = 1
        where g.account_id = ${accountId}
          and not g.paused
          and not d.paused
        for share
      )
      update outdial_calls as c
      set submitted_at = ${DateTime.toDateUtc(now)},
        lease_until = ${DateTime.toDateUtc(DateTime.addDuration(now, Limits.lineLease))}
      from gate
      where c.account_id = ${accountId}
        and c.id = ${PlannerHints.anyOf(sql, callIds)}
        and c.status = 'dialing'
        and c.claim_token = ${token}
        and c.claim_epoch = gate.epoch
        and c.submitted_at is null
        and c.hang_up_at is null
        and c.dial_by > ${DateTime.toDateUtc(now)}
        and not ${PausedCarriers.isPaused(sql, sql`c.carrier`)}
      returning c.id`

  const paused = Effect.map(
    // No index: the table has a row for each carrier. A plain read.
    sql<{ readonly names: ReadonlyArray<Ids.CarrierName> }>`select ${PausedCarriers.names(sql)} as names`,
    ([row]) => row?.names ?? []
  )

  const returnToQueue = Effect.fnUntraced(function*(options: Storage.ReturnOptions) {
    const calls = yield* writes.lock(options.accountId, options.callIds)
    // If such a call is queued concurrently, the index rejects the return, and the transaction is retried.
    const numbers = [...calls.values()].map((call) => call.phoneNumber)
    const queued = new Set((yield* writes.waiting(options.accountId, numbers)).keys())
    const mayFailOver = options.reason === "carrier_unavailable" &&
      [...calls.values()].some(({ lane }) => Lane.carriersOf(lane).length > 1)
    const pausedCarriers = new Set(mayFailOver ? yield* paused : [])
    const changes = options.callIds.flatMap((id): ReadonlyArray<Event.StateChange> => {
      const before = calls.get(id)
      if (before === undefined) return []
      const numberIsQueued = queued.has(before.phoneNumber)
      const after = CallLife.returnedToQueue(before, { ...options, numberIsQueued, pausedCarriers })
      if (after === undefined) return []
      if (after.status === "queued") queued.add(after.phoneNumber)
      calls.set(id, after)
      return [{ before, after }]
    })
    yield* writes.save({ ...options, changes })
    if (changes.length === 0) return
    // Index: primary key. A call that was not dialed does not count for the day, so the day is counted again and the account's
    // hold is checked again. Written in any case, so that it waits for a claim that is counting. After the return itself,
    // which may wait for a host's transaction and must not block claims and pauses meanwhile; before the queued calls, which
    // is the lock order everywhere.
    const [account] = yield* sql<{ readonly hold_periods: SharedPeriods.PeriodRows; readonly paused: boolean }>`
      update outdial_accounts as a
      set blocked_until = null,
        day_started_at = null
      where a.id = ${options.accountId}
      returning a.hold_periods, (
        select g.paused
        from outdial_dial_switches as g
        where g.account_id = ${options.accountId}
      ) as paused`
    if (account !== undefined && !account.paused) {
      yield* endPeriod(options, SharedPeriods.toPeriods(account.hold_periods))
    }
    yield* writes.reconsider(options.accountId, numbers, options.now)
  })

  /** The line of a call that returns is free. */
  const endPeriod = ({ accountId, now }: Storage.ReturnOptions, before: HoldPeriods.HoldPeriods) => {
    const periods = HoldPeriods.after(before, undefined, now)
    // Index: primary key. The row is locked already.
    return periods === before ? Effect.void : sql`
      update outdial_accounts
      set hold_periods = ${JSON.stringify(periods)}::json
      where id = ${accountId}`
  }

  const report = Effect.fnUntraced(function*(options: Storage.ReportOptions) {
    const { accountId, now, reports } = options
    const calls = yield* writes.lock(accountId, reports.map(({ callId }) => callId))
    const { answers, changes, freed } = Reports.apply(calls, reports, now)
    yield* writes.save({ ...options, changes })
    if (freed.length > 0) yield* writes.reconsider(accountId, freed, now)
    return answers
  })

  const claimStaleCalls = ({ accountId, carriers, limit, now }: Storage.StaleOptions) =>
    // Index: outdial_calls_lines, then primary keys. A locked call is being reported on, so it is live and is skipped.
    sql<CallRows.StaleRow>`
      with stale as (
        select c.id
        from outdial_accounts as a
        join outdial_calls as c on c.account_id = a.id
        where a.id = ${accountId}
          and c.stage = 'live'
          and c.lease_until <= ${DateTime.toDateUtc(now)}
          and c.line_ended_at is null
          and ${DispatchDue.isOfCarriers(sql, carriers)}
        order by c.lease_until, c.id
        limit ${limit}
        for no key update of c skip locked
      )
      update outdial_calls as c
      set lease_until = ${DateTime.toDateUtc(DateTime.addDuration(now, Limits.lineLease))}
      where c.account_id = ${accountId}
        and c.id = any(array(select stale.id from stale))
      returning c.id, c.claim_token, c.phone_number, c.carrier, c.submitted_at, c.carrier_call_id, c.hang_up_at, (
        select v.definition ->> 'callerId'
        from outdial_call_requests as r
        join outdial_agent_versions as v
          on v.account_id = r.account_id and v.agent_id = r.agent_id and v.version = r.agent_version
        where r.account_id = ${accountId}
          and v.account_id = ${accountId}
          and r.id = c.id
      ) as caller_id`

  const expireCalls = Effect.fnUntraced(function*(options: Storage.ExpireOptions) {
    const { accountId, now, rules } = options
    // Index: outdial_calls_expiry. A claim ends an expired call it has locked.
    const rows = yield* sql<CallRows.StateRow>`
      select c.*
      from outdial_calls as c
      where c.account_id = ${accountId}
        and ${PlannerHints.isQueued(sql)}
        and c.expires_at <= ${DateTime.toDateUtc(now)}
      order by c.expires_at
      limit ${options.limit}
      for no key update skip locked`
    const calls = rows.map(CallRows.toState)
    const [first] = calls
    if (first === undefined) return 0
    const terms = yield* writes.requests.of(accountId, calls.map(({ id }) => id))
    // One read for all, as of the earliest expiry: plain reads, which wait for no lock.
    const phoneNumbers = [...new Set(calls.map(({ phoneNumber }) => phoneNumber))]
    const { snapshot: { numbers, ...account } } = yield* facts.snapshot({
      accountId,
      phoneNumbers,
      now: DialDecision.beforeExpiry(first),
      rules
    })
    const periods = yield* shared.read(accountId, calls.map(({ lane }) => lane))
    const changes = calls.map((before) => {
      const number = numbers.get(before.phoneNumber) ?? DialFacts.unknownNumber
      const atExpiry = DialDecision.atExpiry(rules, CallRequests.whole(before, terms), { ...account, number })
      return { before, after: CallLife.expired(HoldHistory.withShared(before, periods, now), now, atExpiry) }
    })
    yield* writes.save({ ...options, changes })
    return changes.length
  })

  const before = (now: DateTime.Utc, span: Duration.Duration) =>
    DateTime.toDateUtc(DateTime.subtractDuration(now, span))

  /** As `PlanAdoption.isLapsed`. */
  const isLapsed = (now: DateTime.Utc) => sql`(d.time_zone_adopted_at <= ${before(now, Limits.planDataLease)})`

  return {
    ...Claim.make(database, writes),
    replanCalls: Replan.make(database, writes).replanCalls,
    submit: Effect.fn("DispatchStore.submit")((options) =>
      Effect.map(statement(submit(options)), (rows) => new Set(rows.map((row) => row.id)))
    ),
    returnToQueue: Effect.fn("DispatchStore.returnToQueue")((options) => transaction(returnToQueue(options))),
    report: Effect.fn("DispatchStore.report")((options) => transaction(report(options))),
    claimStaleCalls: Effect.fn("DispatchStore.claimStaleCalls")((options) =>
      Effect.map(statement(claimStaleCalls(options)), (rows) => rows.map(CallRows.toStaleCall))
    ),
    expireCalls: Effect.fn("DispatchStore.expireCalls")((options) => transaction(expireCalls(options))),
    // The table has one row, which is rarely written: submissions share it.
    adoptPlanData: Effect.fn("DispatchStore.adoptPlanData")(({ isStarting, now, version }) => {
      // Same as `PlanAdoption.replaces`.
      const mayReplaceLive = PlanData.hasRoutes(version)
        ? sql`(${isStarting}::boolean or not ${Lanes.areRoutesAdopted(sql)})`
        : sql`(${isStarting}::boolean and not ${Lanes.areRoutesAdopted(sql)})`
      return statement(Effect.gen(function*() {
        yield* sql`
          update outdial_deployment as d
          set time_zone_version = ${version},
            time_zone_adopted_at = ${DateTime.toDateUtc(now)}
          where case
            when d.time_zone_version = ${version} then d.time_zone_adopted_at <= ${before(now, Limits.planDataRenewal)}
            else d.time_zone_version is null or ${isLapsed(now)} or ${mayReplaceLive}
          end`
        const [row] = yield* sql<PlanDataRow>`select d.time_zone_version from outdial_deployment as d`
        return row?.time_zone_version ?? version
      }))
    }),
    adoptedPlanData: Effect.fn("DispatchStore.adoptedPlanData")((now) =>
      Effect.map(
        statement(sql<PlanDataRow>`select d.time_zone_version from outdial_deployment as d where not ${isLapsed(now)}`),
        ([row]) => Option.fromNullishOr(row?.time_zone_version)
      )
    )
  }
}

interface PlanDataRow {
  readonly time_zone_version: string | null
}
