/** Claims due calls. Locks the account before it reads, so that two claims never use the same line. */
import {
  type Account,
  type Call,
  ClaimRound,
  DialFacts,
  type Ids,
  type Lane,
  Limits,
  type PhoneNumber,
  type Storage
} from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as Agents from "../account/AgentStore.ts"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import * as ClaimCandidates from "./ClaimCandidates.ts"
import type { Database } from "../database/Database.ts"
import * as ReadDialFacts from "../policy/ReadDialFacts.ts"
import * as Lanes from "./Lanes.ts"
import * as LiveCalls from "../policy/LiveCalls.ts"
import * as ClaimWatermark from "./ClaimWatermark.ts"
import * as Replan from "./Replan.ts"
import * as CallRequests from "../call/CallRequests.ts"

export const make = (database: Database, writes: CallWriter): Pick<Storage.DispatchStore["Service"], "claimDue"> => {
  const { sql, transaction } = database
  const facts = ReadDialFacts.make(database)
  const laneStore = Lanes.make(database)
  const candidates = ClaimCandidates.make(database)
  const watermarks = ClaimWatermark.make()
  const liveCalls = LiveCalls.make(database)
  const withAgents = Agents.versions(database)
  const replanner = Replan.make(database, writes)

  const lockAccount = (id: Ids.AccountId) =>
    // Index: primary key. One claim of an account at a time; a second one does not wait. The settings make the transaction use
    // indexes, whatever the tables held when its plans were made, and keep generic plans: the next statement takes ten times as
    // long to plan as to run, and would be planned for every claim of a small account beside a large one.
    Effect.map(
      sql`
        select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
          set_config('plan_cache_mode', 'force_generic_plan', true)
        from outdial_accounts as a
        where a.id = ${id}
        for no key update skip locked`,
      (rows) => rows.length > 0
    )

  /** Replans due calls of these lanes, and returns the replanned calls. */
  const replanDue = Effect.fnUntraced(function*(
    options: Storage.ClaimOptions,
    account: Account.Account,
    lanes: ReadonlyArray<Lane.Lane>,
    limit: number
  ) {
    if (lanes.length === 0) return []
    // Index: outdial_calls_due, in its order once for each lane and priority; then the primary key. A row that is locked is
    // leaving the queue, or is being replanned already.
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
      ${CallRequests.join(sql, options.accountId)}
      where c.account_id = ${options.accountId}
        and c.id = any(array(select picked.id from picked))
        and case when c.status = 'queued' then true end
      for no key update of c skip locked`
    return yield* replanner.replan(options, account, rows)
  })

  /** The open lanes. Stores until when the others are closed. */
  const openLanes = Effect.fnUntraced(function*(
    { accountId, now, rules }: Storage.ClaimOptions,
    account: DialFacts.AccountFacts,
    lanes: ReadonlyArray<{ readonly lane: Lane.Lane; readonly closedUntil: DateTime.Utc | undefined }>
  ) {
    const asked = lanes
      .filter(({ closedUntil }) => closedUntil === undefined || DateTime.isLessThanOrEqualTo(closedUntil, now))
      .map(({ lane }) => ({ lane, until: rules.laneOpensAt(lane, account) }))
    const isOpen = ({ until }: { readonly until: DateTime.Utc }) => DateTime.isLessThanOrEqualTo(until, now)
    yield* laneStore.close(accountId, asked.filter((one) => !isOpen(one)))
    return asked.filter(isOpen).map(({ lane }) => lane)
  })

  /** The facts of these candidates' numbers. */
  const numbersOf = Effect.fnUntraced(function*(
    { account }: DialFacts.AccountFacts,
    now: DateTime.Utc,
    rows: ReadonlyArray<ClaimCandidates.PickedRow>
  ) {
    // The facts of a number that was never dialed or listed cannot change while the account is locked. All others are read after
    // their call is locked, because what held them may have ended before that.
    const asked = rows.flatMap((row) =>
      row.id !== null && (row.is_known || account.erasureKey !== undefined) ? [row.phone_number] : []
    )
    const known = asked.length === 0 ? none : yield* facts.numbers(account, { now, plan: "kept" }, asked)
    return ({ id, phoneNumber }: Call.CallRecord) =>
      known.get(phoneNumber) ?? { ...DialFacts.unknownNumber, waitingCallId: id }
  })

  /** Decides on the due calls of open lanes; `first` is their first page, if it was read already. */
  const examine = Effect.fnUntraced(function*(
    options: Storage.ClaimOptions,
    start: DialFacts.AccountFacts,
    lanes: ReadonlyArray<Lane.Lane>,
    pages: { readonly size: number; readonly first: ReadonlyArray<ClaimCandidates.PickedRow> | undefined }
  ) {
    const { accountId, now } = options
    let after = ClaimCandidates.beginnings
    let { first, size } = pages
    let round = ClaimRound.start(start)
    for (let left = Limits.claimCandidates; left > 0 && !ClaimRound.isOver(round, options);) {
      const limit = Math.min(size, left)
      const picked = first ?? (yield* candidates.page({ accountId, now, lanes, after, limit }))
      first = undefined
      const calls = picked.flatMap((row) => row.id === null ? [] : [CallRows.toCall(row)])
      if (calls.length > 0) {
        round = ClaimRound.decide(round, calls, yield* numbersOf(start, now, picked), options)
      }
      // A locked candidate does not count: a batch that is being canceled blocks no calls after it.
      left -= calls.length
      const last = picked[picked.length - 1]
      if (last === undefined || picked.length < limit) break
      const { picked_due_at: dueAt, picked_id: id, picked_priority: priority } = last
      after = [
        { priority, dueAt: dueAt.toISOString(), id },
        ...ClaimCandidates.beginnings.filter((cursor) => cursor.priority > priority)
      ]
      size *= 2
    }
    return round
  })

  /** Stores what the account waits for and its count of the day, if they have changed. */
  const saveAccount = (
    accountId: Ids.AccountId,
    before: ReadDialFacts.AccountSnapshot,
    round: ClaimRound.ClaimRound
  ) => {
    const until = round.waitsFor?.until
    const { dayStart, isCounted } = before
    const placedToday = round.facts.placedToday
    const isKept = until?.epochMilliseconds === before.blockedUntil?.epochMilliseconds &&
      (dayStart === undefined || (isCounted && round.placed === 0))
    // Index: primary key. The row is locked already.
    return isKept ? Effect.void : sql`
      update outdial_accounts
      set blocked_until = ${until === undefined ? null : DateTime.toDateUtc(until)},
        day_started_at = ${dayStart === undefined ? null : DateTime.toDateUtc(dayStart)},
        placed_today = ${placedToday}
      where id = ${accountId}`
  }

  /** Reads from the account's watermark, and again without it if there are no candidates. */
  const readCandidates = Effect.fnUntraced(function*(options: Storage.ClaimOptions) {
    const from = watermarks.of(options.accountId, options.now)
    const seen = yield* candidates.read(options, from)
    return from === ClaimWatermark.unknown || seen.page.length > 0
      ? { from, seen }
      : { from: ClaimWatermark.unknown, seen: yield* candidates.read(options, ClaimWatermark.unknown) }
  })

  const claim = Effect.fnUntraced(function*(options: Storage.ClaimOptions) {
    const { accountId, events, now } = options
    if (!(yield* lockAccount(accountId))) return locked
    const { from, seen } = yield* readCandidates(options)
    const snapshot = yield* facts.accountSnapshot(seen.standing, options)
    const { account, linesInUse } = snapshot.facts
    const size = ClaimCandidates.pageSize(options, account.lines - linesInUse)
    const isOpen = ({ closedUntil }: Lanes.Waiting) =>
      closedUntil === undefined || DateTime.isLessThanOrEqualTo(closedUntil, now)
    const stale = seen.lanes.filter((one) => !one.isPlanned && isOpen(one)).map(({ lane }) => lane)
    const replanned = yield* replanDue(options, account, stale, size)
    const planned = new Set([...seen.lanes.filter(({ isPlanned }) => isPlanned), ...replanned].map(({ lane }) => lane))
    const closed = new Map(seen.lanes.map(({ closedUntil, lane }) => [lane, closedUntil]))
    const open = yield* openLanes(
      options,
      snapshot.facts,
      [...planned].map((lane) => ({ lane, closedUntil: closed.get(lane) }))
    )
    // The page is of the lanes that seemed open.
    const isOfOpen = replanned.length === 0 &&
      open.length === seen.lanes.filter((one) => one.isPlanned && isOpen(one)).length
    const round = open.length === 0
      ? ClaimRound.start(snapshot.facts)
      : yield* examine(options, snapshot.facts, open, { size, first: isOfOpen ? seen.page : undefined })
    yield* writes.save({ accountId, changes: round.changes, events })
    yield* saveAccount(accountId, snapshot, round)
    yield* liveCalls.saveStart(accountId, { now, count: round.placed, since: snapshot.liveSince })
    if (round.placed < options.limit || !isOfOpen) watermarks.forget(accountId)
    else watermarks.save(accountId, { now, from, page: seen.page, isFullPage: seen.page.length >= size })
    const dialing = ClaimRound.claimed(round)
    return {
      claimed: yield* withAgents(accountId, dialing),
      moved: replanned.length + round.changes.length - dialing.length,
      isLocked: false
    }
  })

  return { claimDue: Effect.fn("DispatchStore.claimDue")((options) => transaction(claim(options))) }
}

const none: ReadonlyMap<PhoneNumber.PhoneNumber, DialFacts.NumberFacts> = new Map()

const locked: Storage.ClaimResult = { claimed: [], moved: 0, isLocked: true }
