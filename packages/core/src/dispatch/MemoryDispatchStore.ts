/** Waiting and live calls in memory. */
import { DateTime, Effect, Option } from "effect"
import type { CallRecord } from "../domain/Call.ts"
import type { CallId } from "../domain/Ids.ts"
import * as Lane from "../domain/Lane.ts"
import * as PlanData from "../domain/PlanData.ts"
import * as CallLife from "../rules/call/CallLife.ts"
import * as HoldHistory from "../rules/call/HoldHistory.ts"
import * as HoldPeriods from "../rules/call/HoldPeriods.ts"
import * as Reports from "../rules/dispatch/Reports.ts"
import * as PlanAdoption from "../rules/dispatch/PlanAdoption.ts"
import * as ClaimRound from "../rules/dispatch/ClaimRound.ts"
import * as DialDecision from "../rules/policy/DialDecision.ts"
import * as DueHeap from "../storage/DueHeap.ts"
import { accountFacts, numberFacts } from "../call/MemoryDialFacts.ts"
import { isPaused, pausedCarriers } from "../storage/MemoryCarrierPauses.ts"
import {
  callsOf,
  claimed,
  type Database,
  isDue,
  isOfCarriers,
  isPlanned,
  reconsider,
  save,
  sharedPeriods,
  type Tables,
  tablesOf,
  waitingFor
} from "../storage/MemoryTables.ts"
import type { ClaimOptions, ClaimResult, ReplanOptions } from "./DispatchStore.ts"
import type { DispatchStore } from "./DispatchStore.ts"

/** Single calls before batches, then by due time, then by id. */
const inOrder = (a: CallRecord, b: CallRecord): number =>
  Number(a.batchId !== null) - Number(b.batchId !== null) ||
  a.dueAt.epochMilliseconds - b.dueAt.epochMilliseconds ||
  (a.id < b.id ? -1 : 1)

const claim = (db: Database, tables: Tables, options: ClaimOptions): ClaimResult => {
  const { events, now, rules } = options
  const start = accountFacts(db, tables, options)
  const { slots, planData } = options
  const plan = {
    planVersion: start.account.planVersion,
    ...(planData !== undefined && { planData })
  }
  const stepOf = (lane: Lane.Lane) =>
    ClaimRound.stepOf(lane, {
      isAdopted: isPlanned(db, tables, lane),
      areRoutesAdopted: PlanData.hasRoutes(db.planData?.version),
      plan,
      ...(slots !== undefined && { slots })
    })
  const isOurs = (lane: Lane.Lane) => stepOf(lane) === "decide"
  const stale = callsOf(tables, dueIn(tables, now, (lane) => stepOf(lane) === "replan"))
  const { pausedCarriers } = start
  const shared = sharedPeriods(db, tables)
  const astray = callsOf(tables, dueIn(tables, now, (lane) => isOurs(lane) && Lane.isAstray(lane, pausedCarriers)))
  for (const call of astray) {
    save(tables, call, replannedInto(shared, call, Lane.fromFirst(call.lane, pausedCarriers), now), events)
  }
  const moved = replan(tables, shared, options, stale) + astray.length
  const first = ClaimRound.start(start, shared)
  const ids: Array<CallId> = []
  for (const [lane, heap] of tables.lanes) {
    if (!isOurs(lane) || !ClaimRound.isLaneOpen(first, lane, options) || !isDue(DueHeap.first(heap), now)) continue
    if (!isDue(tables.closedLanes.get(lane)?.until ?? now, now)) continue
    const hold = rules.laneHold(lane, start)
    if (hold !== undefined) {
      const periods = HoldPeriods.after(tables.closedLanes.get(lane)?.periods ?? [], hold, now)
      tables.closedLanes.set(lane, { until: hold.until, periods })
    } else for (const id of dueOf(heap, now)) ids.push(id)
  }
  const round = ClaimRound.decide(
    first,
    [...callsOf(tables, ids)].sort(inOrder),
    ({ phoneNumber }) => numberFacts(tables, phoneNumber, now),
    options
  )
  for (const { after, before } of round.changes) save(tables, before, after, events)
  tables.blockedUntil = round.waitsFor?.until
  tables.periods = ClaimRound.periodsAfter(round, options)
  const dialing = ClaimRound.claimed(round).map((call) => claimed(tables, call))
  return { claimed: dialing, moved: moved + round.changes.length - dialing.length, isLocked: false }
}

const dueOf = (heap: DueHeap.DueHeap<CallId>, now: DateTime.Utc): ReadonlyArray<CallId> =>
  [...heap.dueAt].flatMap(([id, dueAt]) => isDue(dueAt, now) ? [id] : [])

/** The due calls in the chosen lanes that are not closed. */
const dueIn = ({ closedLanes, lanes }: Tables, now: DateTime.Utc, isMeant: (lane: Lane.Lane) => boolean) =>
  [...lanes].flatMap(([lane, heap]) =>
    isMeant(lane) && isDue(closedLanes.get(lane)?.until ?? now, now) ? dueOf(heap, now) : []
  )

/** Replans the calls by the present rules; returns how many. */
const replan = (
  tables: Tables,
  shared: HoldPeriods.SharedPeriods,
  { events, now, rules }: ReplanOptions,
  calls: ReadonlyArray<CallRecord>
): number => {
  for (const call of calls) {
    const { callerId } = claimed(tables, call).agent
    const lane = rules.laneOf(tables.account, { ...call, ...(callerId !== undefined && { callerId }) })
    save(tables, call, replannedInto(shared, call, lane, now), events)
  }
  return calls.length
}

const replannedInto = (
  shared: HoldPeriods.SharedPeriods,
  call: CallRecord,
  lane: Lane.Lane,
  now: DateTime.Utc
) => CallLife.replanned(HoldHistory.withShared(call, shared, now), lane, now)

export const make = (db: Database): DispatchStore["Service"] => ({
  claimDue: (options) => Effect.sync(() => claim(db, tablesOf(db, options.accountId), options)),
  replanCalls: (options) =>
    Effect.sync(() => {
      const tables = tablesOf(db, options.accountId)
      const ids = [...tables.lanes].flatMap(([lane, { dueAt }]) => isPlanned(db, tables, lane) ? [] : [...dueAt.keys()])
      // The hold belonged to the earlier plan.
      if (ids.length > 0) tables.blockedUntil = undefined
      const moved = replan(tables, sharedPeriods(db, tables), options, callsOf(tables, ids.slice(0, options.limit)))
      for (const lane of tables.closedLanes.keys()) {
        if (!tables.lanes.has(lane) && !isPlanned(db, tables, lane)) tables.closedLanes.delete(lane)
      }
      return moved
    }),
  submit: ({ accountId, callIds, now, token }) =>
    Effect.sync(() => {
      const { account, calls } = tablesOf(db, accountId)
      const submitted = new Set<CallId>()
      if (account.paused || db.deploymentPaused) return submitted
      for (const id of callIds) {
        const call = calls.get(id)
        const after = call && CallLife.submitted(call, { token, now, epoch: account.epoch })
        if (after === undefined || (after.carrier !== undefined && isPaused(db, after.carrier))) continue
        calls.set(id, after)
        submitted.add(id)
      }
      return submitted
    }),
  returnToQueue: ({ accountId, callIds, events, now, reason, token }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      for (const id of callIds) {
        const call = tables.calls.get(id)
        const after = call && CallLife.returnedToQueue(call, {
          token,
          now,
          reason,
          numberIsQueued: waitingFor(tables, call) !== undefined,
          pausedCarriers: pausedCarriers(db)
        })
        if (after === undefined) continue
        save(tables, call, after, events)
        reconsider(tables, after.phoneNumber, now)
        tables.blockedUntil = undefined
        // Its line is free.
        if (!tables.account.paused) tables.periods = HoldPeriods.after(tables.periods, undefined, now)
      }
    }),
  report: ({ accountId, events, now, reports }) =>
    Effect.sync(() => {
      const tables = db.accounts.get(accountId)
      if (tables === undefined) return Reports.apply(new Map(), reports, now).answers
      const { answers, changes, freed } = Reports.apply(tables.calls, reports, now)
      for (const { after, before } of changes) save(tables, before, after, events)
      for (const number of freed) reconsider(tables, number, now)
      return answers
    }),
  claimStaleCalls: ({ accountId, carriers, limit, now }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const stale = callsOf(tables, tables.live).filter((call) =>
        call.lineEnd === undefined && isOfCarriers(call, carriers) && isDue(call.claim?.leaseUntil, now)
      )
      return stale.slice(0, limit).flatMap((call) => {
        if (call.claim === undefined) return []
        tables.calls.set(call.id, CallLife.alive(call, now))
        const { dialBy: _, epoch: __, leaseUntil: ___, ...rest } = call.claim
        const { callerId } = claimed(tables, call).agent
        return [{
          callId: call.id,
          phoneNumber: call.phoneNumber,
          ...(callerId !== undefined && { callerId }),
          ...(call.carrier !== undefined && { carrier: call.carrier }),
          ...rest
        }]
      })
    }),
  expireCalls: ({ accountId, events, limit, now, rules }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      if (!isDue(DueHeap.first(tables.expiring), now)) return 0
      const expired = [...callsOf(tables, tables.waiting.values())]
        .filter((call) => isDue(call.expiresAt, now))
        .sort((a, b) => DateTime.Order(a.expiresAt, b.expiresAt))
        .slice(0, limit)
      const [first] = expired
      if (first === undefined) return 0
      const asOf = DialDecision.beforeExpiry(first)
      const facts = accountFacts(db, tables, { now: asOf, rules })
      // All are judged before any is changed, as in SQL.
      const changes = expired.map((call) => {
        const number = numberFacts(tables, call.phoneNumber, asOf)
        return { call, atExpiry: DialDecision.atExpiry(rules, call, { ...facts, number }) }
      })
      const shared = sharedPeriods(db, tables)
      for (const { atExpiry, call } of changes) {
        save(tables, call, CallLife.expired(HoldHistory.withShared(call, shared, now), now, atExpiry), events)
      }
      return expired.length
    }),
  adoptPlanData: (options) =>
    Effect.sync(() => {
      const { now, version } = options
      const adopted = db.planData
      if (adopted !== undefined && adopted.version !== version && !PlanAdoption.replaces(adopted, options)) {
        return adopted.version
      }
      db.planData = { version, at: now }
      return version
    }),
  adoptedPlanData: (now) =>
    Effect.sync(() =>
      Option.fromUndefinedOr(
        db.planData === undefined || PlanAdoption.isLapsed(db.planData, now) ? undefined : db.planData.version
      )
    )
})
