/** Claims due calls. Locks the account before it reads, so that two claims never use the same line. */
import {
  type Account,
  type Call,
  ClaimRound,
  DialFacts,
  HoldPeriods,
  type Ids,
  Lane,
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
import * as PlannerHints from "../database/PlannerHints.ts"
import * as ReadDialFacts from "../policy/ReadDialFacts.ts"
import * as Lanes from "./Lanes.ts"
import * as Replan from "./Replan.ts"
import * as CallRequests from "../call/CallRequests.ts"

/** Candidates beyond the free lines in the first page: so many may be held or ended without a second page. */
const spare = 8

export const make = (database: Database, writes: CallWriter): Pick<Storage.DispatchStore["Service"], "claimDue"> => {
  const { sql, transaction } = database
  const facts = ReadDialFacts.make(database)
  const laneStore = Lanes.make(database)
  const candidates = ClaimCandidates.make(database)
  const withAgents = Agents.versions(database)
  const replanner = Replan.make(database, writes)

  const lockAccount = (id: Ids.AccountId) =>
    // Index: primary key. One claim of an account at a time; a second one does not wait.
    Effect.map(
      sql`
        select ${PlannerHints.keptIndexPlans(sql)}
        from outdial_accounts as a
        where a.id = ${id}
        for no key update skip locked`,
      (rows) => rows.length > 0
    )

  /** Moves due calls of these lanes into those of `laneOf`, and returns them. */
  const replanDue = Effect.fnUntraced(function*(
    options: Storage.ClaimOptions,
    { lanes, limit, ...moving }: {
      readonly account: Account.Account
      readonly lanes: ReadonlyArray<Lane.Lane>
      readonly shared: HoldPeriods.SharedPeriods
      readonly limit: number
      readonly laneOf: Replan.LaneOf
    }
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
        and c.status = 'queued'
      for no key update of c skip locked`
    return yield* replanner.replan(options, { ...moving, rows })
  })

  /** Those of these lanes that are open by the rules. Stores until when the others are closed. */
  const openByRules = Effect.fnUntraced(function*(
    { accountId, now, rules }: Storage.ClaimOptions,
    account: DialFacts.AccountFacts,
    { lanes, periods }: {
      readonly lanes: ReadonlyArray<Lane.Lane>
      readonly periods: HoldPeriods.SharedPeriods["lanes"]
    }
  ) {
    const closed = new Map(lanes.flatMap((lane) => {
      const hold = rules.laneHold(lane, account)
      return hold === undefined ? [] : [[lane, hold]]
    }))
    yield* laneStore.close({ accountId, now, periods }, closed)
    return lanes.filter((lane) => !closed.has(lane))
  })

  /** Replans due calls of an earlier plan, and those that have failed over to a paused carrier. Returns the open lanes. */
  const readOpenLanes = Effect.fnUntraced(function*(
    options: Storage.ClaimOptions,
    { facts, periods }: ReadDialFacts.AccountSnapshot,
    limit: number
  ) {
    const { accountId, now, rules, slots, planData } = options
    const { account, pausedCarriers } = facts
    const { planVersion } = account
    const plan = { planVersion, ...(planData !== undefined && { planData }) }
    const waiting = yield* laneStore.waiting(accountId)
    const shared = { ...periods, lanes: Lanes.periodsOf(waiting) }
    const closed = new Set(
      waiting.flatMap(({ closedUntil, lane }) =>
        closedUntil !== undefined && DateTime.isGreaterThan(closedUntil, now) ? [lane] : []
      )
    )
    const lanesTo = (step: ClaimRound.LaneStep) =>
      waiting.flatMap(({ areRoutesAdopted, isPlanned: isAdopted, lane }) =>
        ClaimRound.stepOf(lane, { areRoutesAdopted, isAdopted, plan, ...(slots !== undefined && { slots }) }) === step
          ? [lane]
          : []
      )
    const planned = lanesTo("decide")
    const stale = lanesTo("replan").filter((lane) => !closed.has(lane))
    const astray = new Set(planned.filter((lane) => !closed.has(lane) && Lane.isAstray(lane, pausedCarriers)))
    const replanned = yield* replanDue(options, {
      account,
      lanes: [...stale, ...astray],
      shared,
      limit,
      laneOf: (call) => astray.has(call.lane) ? Lane.fromFirst(call.lane, pausedCarriers) : rules.laneOf(account, call)
    })
    const lanes = new Set(
      [...planned, ...replanned.map(({ lane }) => lane)].filter((lane) =>
        !closed.has(lane) && ClaimRound.isLaneOpen({ facts }, lane, options)
      )
    )
    return {
      open: yield* openByRules(options, facts, { lanes: [...lanes], periods: shared.lanes }),
      shared,
      replanned: replanned.length
    }
  })

  /** The facts of the candidates' numbers of which something is known. */
  const numbersOf = (
    { account, now }: DialFacts.AccountFacts,
    page: ReadonlyArray<ClaimCandidates.Candidate>
  ) => {
    // Of a number that was never dialed or listed nothing can change while the account is locked. The others are read after their
    // calls are locked, because what held them may have ended before that.
    const known = page.flatMap((row) =>
      row.id !== null && (row.is_known || account.erasureKey !== undefined) ? [row.phone_number] : []
    )
    return known.length === 0
      ? Effect.succeed(noNumbers)
      : facts.numbers(account, { now, phoneNumbers: [...new Set(known)], isPlanKept: true })
  }

  /** Decides on the due calls of these lanes, page by page. */
  const decide = Effect.fnUntraced(function*(
    options: Storage.ClaimOptions,
    first: ClaimRound.ClaimRound,
    lanes: ReadonlyArray<Lane.Lane>,
    firstSize: number
  ) {
    const { accountId, now } = options
    const start = first.facts
    let after = ClaimCandidates.beginnings
    let round = first
    let isMore = true
    for (let size = firstSize; isMore && !ClaimRound.isOver(round, options); size *= 2) {
      const taking = lanes.filter((lane) => ClaimRound.isLaneOpen(round, lane, options))
      if (taking.length === 0) break
      const limit = Math.min(size, Limits.claimCandidates - round.examined)
      const page = yield* candidates.page({ accountId, now, lanes: taking, after, limit })
      const calls = page.flatMap((row) => row.id === null ? [] : [CallRows.toCall(row)])
      if (calls.length > 0) {
        const numbers = yield* numbersOf(start, page)
        const numberOf = ({ id, phoneNumber }: Call.CallRecord) =>
          numbers.get(phoneNumber) ?? { ...DialFacts.unknownNumber, waitingCallId: id }
        round = ClaimRound.decide(round, calls, numberOf, options)
      }
      // A locked candidate does not count: a batch that is being canceled blocks no calls after it.
      const last = page.at(-1)
      isMore = last !== undefined && page.length === limit
      if (last !== undefined) after = ClaimCandidates.cursorsAfter(last)
    }
    return round
  })

  /** Stores what the account waits for and its count of the day, if they have changed. */
  const saveAccount = (
    before: ReadDialFacts.AccountSnapshot,
    round: ClaimRound.ClaimRound,
    options: Storage.ClaimOptions
  ) => {
    const until = round.waitsFor?.until
    const { dayStart, isCounted } = before
    const placedToday = round.facts.placedToday
    const periods = ClaimRound.periodsAfter(round, options)
    const isKept = until?.epochMilliseconds === before.blockedUntil?.epochMilliseconds &&
      periods === before.periods.account &&
      (dayStart === undefined || (isCounted && round.placed === 0))
    // Index: primary key. The row is locked already.
    return isKept ? Effect.void : sql`
      update outdial_accounts
      set blocked_until = ${until === undefined ? null : DateTime.toDateUtc(until)},
        day_started_at = ${dayStart === undefined ? null : DateTime.toDateUtc(dayStart)},
        placed_today = ${placedToday},
        hold_periods = ${JSON.stringify(periods)}::json
      where id = ${options.accountId}`
  }

  const claim = Effect.fnUntraced(function*(options: Storage.ClaimOptions) {
    const { accountId, events } = options
    if (!(yield* lockAccount(accountId))) return locked
    const account = yield* facts.account(options)
    const { account: { lines }, linesInUse } = account.facts
    // As many as may be dialed, and some that may not.
    const size = Math.max(1, Math.min(options.limit, lines - linesInUse)) + spare
    const { open, replanned, shared } = yield* readOpenLanes(options, account, size)
    const round = yield* decide(options, ClaimRound.start(account.facts, shared), open, size)
    yield* writes.save({ accountId, changes: round.changes, events })
    yield* saveAccount(account, round, options)
    const dialing = ClaimRound.claimed(round)
    return {
      claimed: yield* withAgents(accountId, dialing),
      moved: replanned + round.changes.length - dialing.length,
      isLocked: false
    }
  })

  return { claimDue: Effect.fn("DispatchStore.claimDue")((options) => transaction(claim(options))) }
}

const noNumbers: ReadonlyMap<PhoneNumber.PhoneNumber, DialFacts.NumberFacts> = new Map()

const locked: Storage.ClaimResult = { claimed: [], moved: 0, isLocked: true }
