/** Claiming due calls. Locks the account first and looks later, so that two claims never give out the same line. */
import { type Account, type DialFacts, type Ids, Lane, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as AgentsSql from "./AgentsSql.ts"
import * as CallRows from "./CallRows.ts"
import type { CallWrites } from "./CallWrites.ts"
import * as ClaimRound from "./ClaimRound.ts"
import type { Database } from "./Database.ts"
import * as FactsSql from "./FactsSql.ts"
import * as LanesSql from "./LanesSql.ts"
import * as ReplanSql from "./ReplanSql.ts"
import * as RequestsSql from "./RequestsSql.ts"

/** Candidates beyond the free lines in the first page: as many as may be held or ended without a second one. */
const spare = 8

/** How many candidates come first: as many as may be dialed, and some that may not. */
const pageSize = ({ limit }: Storage.ClaimOptions, free: number) => Math.max(1, Math.min(limit, free)) + spare

/** Where a page of candidates starts within a priority: behind the last one of the page before. */
interface Cursor {
  readonly priority: number
  readonly dueAt: string
  readonly id: string
}

/** Single calls come before those of batches. */
const beginnings: ReadonlyArray<Cursor> = [0, 1].map((priority) => ({ priority, dueAt: "-infinity", id: "" }))

export const make = (database: Database, writes: CallWrites): Pick<Storage.Storage["Service"], "claimDue"> => {
  const { sql, transaction } = database
  const facts = FactsSql.make(database)
  const lanesSql = LanesSql.make(database)
  const withAgents = AgentsSql.versions(database)
  const replanning = ReplanSql.make(database, writes)

  const lockAccount = (id: Ids.AccountId) =>
    // Index: primary key. One claim of an account at a time; the loser does not wait.
    Effect.map(
      sql`
        select a.id
        from outdial_accounts as a
        where a.id = ${id}
        for no key update skip locked`,
      (rows) => rows.length > 0
    )

  /** Plans due calls of these lanes anew; answers them as they are then. */
  const replanDue = Effect.fnUntraced(function*(
    options: Storage.ClaimOptions,
    account: Account.Account,
    lanes: ReadonlyArray<Lane.Lane>,
    limit: number
  ) {
    if (lanes.length === 0) return []
    // Index: outdial_calls_due, in its order once for each lane and priority; then the primary key. A row that somebody else
    // holds is on its way out of the queue, or being planned anew already.
    const rows = yield* sql<CallRows.CallRow>`
      with picked as materialized (
        select p.id
        from unnest(${lanes}::text[]) as l (lane)
        cross join (values (0), (1)) as q (priority)
        cross join lateral (
          select c.id, c.due_at
          from outdial_calls as c
          where c.account_id = ${options.accountId}
            and c.stage = 'queued'
            and c.lane = l.lane
            and c.priority = q.priority
            and c.due_at <= ${DateTime.toDateUtc(options.now)}
          order by c.due_at, c.id
          limit ${limit}
        ) as p
        order by q.priority, p.due_at, p.id
        limit ${limit}
      )
      select c.*, q.*
      from outdial_calls as c
      ${RequestsSql.join(sql, options.accountId)}
      where c.account_id = ${options.accountId}
        and c.id = any(array(select picked.id from picked))
        and case when c.status = 'queued' then true end
      for no key update of c skip locked`
    return yield* replanning.replan(options, account, rows)
  })

  /** The lanes that are open, after it was noted of the others until when they are closed. */
  const openLanes = Effect.fnUntraced(function*(
    { accountId, now, rules }: Storage.ClaimOptions,
    account: DialFacts.AccountFacts,
    lanes: ReadonlyArray<{ readonly lane: Lane.Lane; readonly closedUntil: DateTime.Utc | undefined }>
  ) {
    const asked = lanes
      .filter(({ closedUntil }) => closedUntil === undefined || DateTime.isLessThanOrEqualTo(closedUntil, now))
      .map(({ lane }) => ({ lane, until: rules.laneOpensAt(lane, account) }))
    const isOpen = ({ until }: { readonly until: DateTime.Utc }) => DateTime.isLessThanOrEqualTo(until, now)
    yield* lanesSql.close(accountId, asked.filter((one) => !isOpen(one)))
    return asked.filter(isOpen).map(({ lane }) => lane)
  })

  const candidates = (options: {
    readonly accountId: Ids.AccountId
    readonly now: DateTime.Utc
    readonly lanes: ReadonlyArray<Lane.Lane>
    readonly after: ReadonlyArray<Cursor>
    readonly limit: number
  }) =>
    // Index: outdial_calls_due, in its order once for each lane and priority; then the primary key. A row that somebody else holds is on
    // its way out of the queue: it is passed over, and still shows how far the page went.
    sql<PickedRow>`
      with picked as materialized (
        select p.id, p.priority, p.due_at
        from unnest(${options.lanes}::text[]) as l (lane)
        cross join unnest(
          ${options.after.map(({ priority }) => priority)}::int[],
          ${options.after.map(({ dueAt }) => dueAt)}::timestamptz[],
          ${options.after.map(({ id }) => id)}::text[]
        ) as a (priority, due_at, id)
        cross join lateral (
          select c.id, c.priority, c.due_at
          from outdial_calls as c
          where c.account_id = ${options.accountId}
            and c.stage = 'queued'
            and c.lane = l.lane
            and c.priority = a.priority
            and c.due_at <= ${DateTime.toDateUtc(options.now)}
            and (c.due_at, c.id) > (a.due_at, a.id)
          order by c.due_at, c.id
          limit ${options.limit}
        ) as p
        order by p.priority, p.due_at, p.id
        limit ${options.limit}
      ), locked as materialized (
        select c.*, q.*
        from outdial_calls as c
        ${RequestsSql.join(sql, options.accountId)}
        where c.account_id = ${options.accountId}
          and c.id = any(array(select picked.id from picked))
          and case when c.status = 'queued' then true end
        for no key update of c skip locked
      )
      select k.*, p.id as picked_id, p.priority as picked_priority, p.due_at as picked_due_at
      from picked as p
      left join locked as k on k.id = p.id
      order by p.priority, p.due_at, p.id`

  /** Goes through the due calls of open lanes until the round is over. */
  const examine = Effect.fnUntraced(function*(
    options: Storage.ClaimOptions,
    round: ClaimRound.ClaimRound,
    lanes: ReadonlyArray<Lane.Lane>,
    free: number
  ) {
    const { accountId, now } = options
    let after = beginnings
    let size = pageSize(options, free)
    for (let left = Limits.claimCandidates; left > 0 && !round.isOver();) {
      const limit = Math.min(size, left)
      const picked = yield* candidates({ accountId, now, lanes, after, limit })
      const calls = picked.flatMap((row) => row.id === null ? [] : [CallRows.toCall(row)])
      const numbers = calls.map(({ phoneNumber }) => phoneNumber)
      if (calls.length > 0) round.decide(calls, yield* facts.numbers(round.account, now, numbers))
      // What somebody else has locked is not looked at: a batch being canceled holds up nothing behind it.
      left -= calls.length
      const last = picked[picked.length - 1]
      if (last === undefined || picked.length < limit) break
      const { picked_due_at: dueAt, picked_id: id, picked_priority: priority } = last
      after = [
        { priority, dueAt: dueAt.toISOString(), id },
        ...beginnings.filter((cursor) => cursor.priority > priority)
      ]
      size *= 2
    }
  })

  /** Writes what the account waits for, and its count of the day, where they have changed. */
  const keep = (accountId: Ids.AccountId, before: FactsSql.Standing, round: ClaimRound.ClaimRound) => {
    const until = round.waitsFor()?.until
    const { dayStart, isCounted } = before
    const placedToday = before.facts.placedToday + round.placed()
    const isKept = until?.epochMilliseconds === before.blockedUntil?.epochMilliseconds &&
      (dayStart === undefined || (isCounted && round.placed() === 0))
    // Index: primary key. The row is locked already.
    return isKept ? Effect.void : sql`
      update outdial_accounts
      set blocked_until = ${until === undefined ? null : DateTime.toDateUtc(until)},
        day_started_at = ${dayStart === undefined ? null : DateTime.toDateUtc(dayStart)},
        placed_today = ${placedToday}
      where id = ${accountId}`
  }

  const claim = Effect.fnUntraced(function*(options: Storage.ClaimOptions) {
    const { accountId, events, now } = options
    if (!(yield* lockAccount(accountId))) return locked
    const standing = yield* facts.account(options, { keep: false })
    const { account, linesInUse } = standing.facts
    const free = account.lines - linesInUse
    const lanes = yield* lanesSql.waiting(accountId)
    const ours: Lane.Plan = {
      planVersion: account.planVersion,
      ...(options.timeZoneData !== undefined && { timeZoneData: options.timeZoneData })
    }
    const isPlanned = (one: LanesSql.Waiting) => one.isPlanned || Lane.isPlannedBy(one.lane, ours)
    const isOpen = ({ closedUntil }: LanesSql.Waiting) =>
      closedUntil === undefined || DateTime.isLessThanOrEqualTo(closedUntil, now)
    const stale = lanes.filter((one) => !isPlanned(one) && isOpen(one)).map(({ lane }) => lane)
    const replanned = yield* replanDue(options, account, stale, pageSize(options, free))
    const planned = new Set([...lanes.filter(isPlanned), ...replanned].map(({ lane }) => lane))
    const closed = new Map(lanes.map(({ closedUntil, lane }) => [lane, closedUntil]))
    const open = yield* openLanes(
      options,
      standing.facts,
      [...planned].map((lane) => ({ lane, closedUntil: closed.get(lane) }))
    )
    const round = ClaimRound.make(options, standing.facts)
    if (open.length > 0) yield* examine(options, round, open, free)
    yield* writes.save({ accountId, changes: round.changes, events })
    yield* keep(accountId, standing, round)
    const dialing = round.changes.map(({ after }) => after).filter((call) => call.status === "dialing")
    return {
      claimed: yield* withAgents(accountId, dialing),
      moved: replanned.length + round.changes.length - dialing.length,
      isLocked: false
    }
  })

  return { claimDue: Effect.fn("Storage.claimDue")((options) => transaction(claim(options))) }
}

/** A candidate; of one that could not be locked only where it stands. */
type PickedRow = (CallRows.CallRow | { readonly [K in keyof CallRows.CallRow]: null }) & {
  readonly picked_id: Ids.CallId
  readonly picked_priority: number
  readonly picked_due_at: Date
}

const locked: Storage.ClaimResult = { claimed: [], moved: 0, isLocked: true }
