/** Calls and batches in memory. */
import { DateTime, Effect, Option } from "effect"
import type { BatchRecord } from "../domain/Batch.ts"
import { type CallRecord, isFinal, isUnreported, usesLine } from "../domain/Call.ts"
import { BatchId, CallId } from "../domain/Ids.ts"
import type { AgentId } from "../domain/Ids.ts"
import * as Page from "../domain/Page.ts"
import { isErased } from "../domain/PhoneNumber.ts"
import * as CallLife from "../rules/call/CallLife.ts"
import * as HoldHistory from "../rules/call/HoldHistory.ts"
import * as StartDecision from "../rules/call/StartDecision.ts"
import { type Aliases, known, remember, withAliases } from "../privacy/MemoryAliases.ts"
import { accountFacts, accountSnapshot, numberFacts } from "./MemoryDialFacts.ts"
import {
  claimed,
  type Database,
  isDue,
  isQueued,
  isWanted,
  isWithin,
  latest,
  record,
  save,
  sharedPeriods,
  type Tables,
  tablesOf,
  type UsedKey,
  waitingFor
} from "../storage/MemoryTables.ts"
import type {
  CallFilter,
  CallStore,
  CancelResult,
  HangUpResult,
  Idempotency,
  StartBatchOptions,
  StartBatchResult,
  StartOptions,
  StartResult,
  StoredBatch
} from "./CallStore.ts"

/** What the request's key started before, with the request's fingerprint; `None` for a new key. */
const earlier = (tables: Tables, route: "calls" | "batches", idempotency: Option.Option<Idempotency>) =>
  Option.flatMap(
    idempotency,
    ({ fingerprint, key }) =>
      Option.map(Option.fromUndefinedOr(tables.idempotency.get(`${route} ${key}`)), (used) => ({ used, fingerprint }))
  )

const saveKey = (
  tables: Tables,
  route: "calls" | "batches",
  idempotency: Option.Option<Idempotency>,
  made: Pick<UsedKey, "resourceId" | "createdAt">
) => {
  if (Option.isNone(idempotency)) return
  const { fingerprint, key } = idempotency.value
  tables.idempotency.set(`${route} ${key}`, { fingerprint, ...made })
}

const start = <Refusal>(db: Database, options: StartOptions<Refusal>, aliases: Aliases): StartResult<Refusal> => {
  const tables = tablesOf(db, options.accountId)
  const known = earlier(tables, "calls", options.idempotency)
  if (Option.isSome(known)) {
    const { fingerprint, used } = known.value
    const resourceId = CallId.make(used.resourceId)
    return StartDecision.ofCallKey({ ...used, resourceId }, fingerprint, tables.calls.get(resourceId))
  }
  const facts = {
    ...accountFacts(db, tables, options),
    number: numberFacts(tables, options.phoneNumber, options.now, aliases)
  }
  const agent = Option.fromUndefinedOr(latest(tables.agents.get(options.agentId)))
  const planned = StartDecision.ofPlan(options.plan, facts, agent)
  if (planned._tag === "Refused") return planned
  const { call } = planned
  if (isQueued(call) && waitingFor(tables, call) !== undefined) {
    throw new Error(`The plan made ${call.id} for a number that another call waits for`)
  }
  saveKey(tables, "calls", options.idempotency, { resourceId: call.id, createdAt: options.now })
  remember(tables, aliases)
  save(tables, undefined, call, options.events)
  return planned
}

const callsOfBatch = (tables: Tables, id: BatchId): ReadonlyArray<CallRecord> =>
  [...tables.calls.values()].filter((call) => call.batchId === id).sort((a, b) =>
    (a.batchIndex ?? 0) - (b.batchIndex ?? 0)
  )

const stored = (tables: Tables, batch: BatchRecord): StoredBatch => ({
  batch,
  calls: callsOfBatch(tables, batch.id)
})

const startBatch = (db: Database, options: StartBatchOptions, aliases: Aliases): StartBatchResult => {
  const tables = tablesOf(db, options.accountId)
  const known = earlier(tables, "batches", options.idempotency)
  if (Option.isSome(known)) {
    const { fingerprint, used } = known.value
    const resourceId = BatchId.make(used.resourceId)
    const batch = tables.batches.get(resourceId)
    return StartDecision.ofBatchKey({ ...used, resourceId }, fingerprint, batch && stored(tables, batch))
  }
  const { batch, calls } = options.plan({
    ...accountSnapshot(db, tables, options, aliases),
    agents: new Map(options.agentIds.flatMap((id: AgentId) => {
      const agent = latest(tables.agents.get(id))
      return agent === undefined ? [] : [[id, agent]]
    }))
  })
  tables.batches.set(batch.id, batch)
  saveKey(tables, "batches", options.idempotency, { resourceId: batch.id, createdAt: options.now })
  remember(tables, aliases)
  for (const call of calls) save(tables, undefined, call, options.events)
  if (calls.length === 0 && isWanted(tables, "batch.completed")) tables.endedBatches.set(batch.id, batch.createdAt)
  return { _tag: "Started", stored: stored(tables, batch) }
}

const matches = (call: CallRecord, filter: CallFilter): boolean =>
  !isErased(call.phoneNumber) &&
  isWithin(call.createdAt, filter) &&
  (filter.statuses === undefined || filter.statuses.includes(call.status)) &&
  (filter.agentId === undefined || call.agentId === filter.agentId) &&
  (filter.batchId === undefined || call.batchId === filter.batchId) &&
  (filter.phoneNumber === undefined || call.phoneNumber === filter.phoneNumber) &&
  (filter.externalId === undefined || call.contact.externalId === filter.externalId) &&
  (filter.test === undefined || call.test === filter.test)

const cancel = (
  db: Database,
  call: CallRecord,
  { events, now }: { readonly now: DateTime.Utc; readonly events: StartBatchOptions["events"] }
) => {
  const tables = tablesOf(db, call.accountId)
  const canceled = CallLife.canceled(HoldHistory.withShared(call, sharedPeriods(db, tables), now), now)
  save(tables, call, canceled, events)
  return canceled
}

export const make = (db: Database): CallStore["Service"] => ({
  start: <Refusal>(options: StartOptions<Refusal>) =>
    withAliases(db, { ...options, phoneNumbers: [options.phoneNumber] }, (aliases) => start(db, options, aliases)),
  get: (accountId, id) =>
    Effect.sync(() =>
      Option.filter(
        Option.fromUndefinedOr(db.accounts.get(accountId)?.calls.get(id)),
        ({ phoneNumber }) => !isErased(phoneNumber)
      )
    ),
  list: ({ accountId, filter, page }) =>
    Effect.sync(() => {
      const calls = [...db.accounts.get(accountId)?.calls.values() ?? []].filter((call) => matches(call, filter))
      return Page.cut(calls.sort(Page.compare), page)
    }),
  cancel: ({ accountId, events, id, now }) =>
    Effect.sync((): CancelResult => {
      const tables = tablesOf(db, accountId)
      const call = tables.calls.get(id)
      if (call === undefined) return { _tag: "NotFound" }
      if (!isQueued(call)) return { _tag: "NotCancelable", call }
      return { _tag: "Canceled", call: cancel(db, call, { now, events }) }
    }),
  withoutCost: ({ accountId, carrier, dialedAfter, limit }) =>
    Effect.sync(() =>
      [...db.accounts.get(accountId)?.calls.values() ?? []]
        .filter((call) => call.carrier === carrier && call.cost === undefined)
        .flatMap(({ dialedAt, endedAt, endedCarrierCallId: carrierCallId, id: callId }) =>
          dialedAt === undefined || endedAt === undefined || carrierCallId === undefined ||
            !DateTime.isGreaterThan(dialedAt, dialedAfter)
            ? []
            : [{ dialedAt, found: { accountId, callId, carrierCallId, endedAt } }]
        )
        .sort((one, other) => DateTime.Order(one.dialedAt, other.dialedAt))
        .slice(0, limit)
        .map(({ found }) => found)
    ),
  requestHangUp: ({ accountId, id, now }) =>
    Effect.sync((): HangUpResult => {
      const tables = tablesOf(db, accountId)
      const { calls } = tables
      const before = calls.get(id)
      if (before === undefined) return { _tag: "NotFound" }
      if (!usesLine(before.status) || before.claim === undefined) return { _tag: "NotLive", call: before }
      const call = { ...before, claim: { ...before.claim, hangUpAt: before.claim.hangUpAt ?? now } }
      calls.set(id, call)
      return { _tag: "Requested", ...claimed(tables, call) }
    }),
  dialFacts: (options) => {
    const facts = (aliases: Aliases) => accountSnapshot(db, tablesOf(db, options.accountId), options, aliases)
    return options.aliasesOf === undefined
      ? Effect.sync(() => facts(known(tablesOf(db, options.accountId))))
      : withAliases(db, options, facts)
  },
  sharedPeriods: (accountId) => Effect.sync(() => sharedPeriods(db, tablesOf(db, accountId))),
  startBatch: (options) => withAliases(db, options, (aliases) => startBatch(db, options, aliases)),
  getBatch: (accountId, id) =>
    Effect.sync(() => {
      const tables = db.accounts.get(accountId)
      const batch = tables?.batches.get(id)
      return tables === undefined || batch === undefined ? Option.none() : Option.some(stored(tables, batch))
    }),
  listBatches: ({ accountId, page }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const { hasMore, items } = Page.cut([...tables.batches.values()].sort(Page.compare), page)
      return { hasMore, items: items.map((batch) => stored(tables, batch)) }
    }),
  cancelBatch: ({ accountId, events, id, now }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      if (!tables.batches.has(id)) return Option.none()
      const waiting = callsOfBatch(tables, id).filter(isQueued)
      for (const call of waiting) cancel(db, call, { now, events })
      return Option.some(waiting.length)
    }),
  completeBatches: ({ accountId, event, limit, now }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const ended = [...tables.endedBatches].filter(([, at]) => isDue(at, now))
        .sort(([id, at], [otherId, otherAt]) => DateTime.Order(at, otherAt) || (id < otherId ? -1 : 1))
        .slice(0, limit)
      for (const [id] of ended) {
        tables.endedBatches.delete(id)
        const batch = tables.batches.get(id)
        if (batch === undefined || !isWanted(tables, "batch.completed")) continue
        const calls = [...tables.calls.values()].filter((call) => call.batchId === id)
        if (!calls.every((call) => isFinal(call.status) && !isUnreported(call))) continue
        const completed = event(stored(tables, batch))
        if (!tables.events.has(completed.id)) record(tables, completed)
      }
      return ended.length
    })
})
