/** Overviews of accounts in memory. */
import { DateTime, Effect } from "effect"
import type { CallStatus } from "../domain/Call.ts"
import type { CallId } from "../domain/Ids.ts"
import type { StatusCode } from "../domain/StatusCode.ts"
import * as Limits from "../domain/Limits.ts"
import type { Lane } from "../domain/Lane.ts"
import { isOpen } from "../rules/webhook/DeliveryState.ts"
import { callsOf, type Database, isDue, type Tables, tablesOf } from "../storage/MemoryTables.ts"
import type { AccountMarks, OverviewStore, WaitingCalls, WaitingLane } from "./OverviewStore.ts"

const waitingLane = (tables: Tables, lane: Lane, now: DateTime.Utc): WaitingLane | undefined => {
  const calls = callsOf(tables, tables.lanes.get(lane)?.dueAt.keys() ?? [])
  const [one] = calls
  if (one === undefined) return undefined
  const groups = new Map<StatusCode | undefined | "due", WaitingCalls>()
  for (const { dueAt, statusCode } of calls) {
    const group = isDue(dueAt, now) ? "due" : statusCode
    const { calls, first } = groups.get(group) ?? { calls: 0, first: dueAt }
    groups.set(group, { calls: calls + 1, first: DateTime.min(first, dueAt) })
  }
  const due = groups.get("due")
  return {
    lane,
    phoneNumber: one.phoneNumber,
    ...(due !== undefined && { due }),
    later: [...groups].flatMap(([statusCode, waiting]) =>
      statusCode === "due" ? [] : [{ ...waiting, ...(statusCode !== undefined && { statusCode }) }]
    )
  }
}

const text = (value: unknown): string => JSON.stringify(value)

const marksOf = (db: Database, tables: Tables): AccountMarks => {
  const { account, agents, batches, breaker, calls, deliveries, doNotCall, events, live, waiting, webhook } = tables
  const toWebhook = [...deliveries.values()].filter(({ subscriber }) => subscriber === undefined)
  const attempts = toWebhook.reduce((sum, { log }) => sum + log.length, 0)
  return {
    live: new Map(
      callsOf(tables, live).slice(0, Limits.markedCalls).map(({ id, status }): [CallId, CallStatus] => [id, status])
    ),
    marks: {
      queue: text([calls.size, waiting.size]),
      events: text([events.size, tables.feed.length]),
      batches: text(batches.size),
      agents: text([...agents].map(([id, versions]) => [id, versions.length, versions.at(-1)?.archivedAt])),
      account: text([account.name, account.lines, account.paused, account.policy, db.deploymentPaused]),
      doNotCall: text([doNotCall.size, [...doNotCall.keys()].at(-1)]),
      webhook: text([webhook?.url, webhook?.enabled, webhook?.updatedAt, breaker.openUntil]),
      deliveries: text([toWebhook.length, toWebhook.filter(isOpen).length, attempts]),
      keys: text(
        [...db.apiKeys.values()].filter(({ accountId }) => accountId === account.id)
          .map(({ id, revokedAt }) => [id, revokedAt])
      ),
      carriers: text([...db.carriers].map(([name, { pause }]) => [name, pause]))
    }
  }
}

export const make = (db: Database): OverviewStore["Service"] => ({
  activity: ({ accountId, now, since }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const live = callsOf(tables, tables.live)
      const dialed = [...tables.calls.values()].filter(({ dialedAt }) =>
        dialedAt !== undefined && DateTime.isGreaterThanOrEqualTo(dialedAt, since)
      )
      const statuses = new Map<CallStatus, number>()
      for (const { status } of dialed) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const open = [...tables.deliveries.values()].filter((delivery) =>
        delivery.subscriber === undefined && isOpen(delivery)
      )
      const [deliveryDueAt] = open.map(({ dueAt }) => dueAt).sort(DateTime.Order)
      return {
        waiting: [...tables.lanes.keys()].sort().flatMap((lane) => waitingLane(tables, lane, now) ?? []),
        isExact: true,
        dialing: live.filter(({ status }) => status === "dialing").length,
        inProgress: live.filter(({ status }) => status === "in_progress").length,
        dialed: statuses,
        answered: dialed.filter(({ answeredAt }) => answeredAt !== undefined).length,
        openDeliveries: open.length,
        ...(deliveryDueAt !== undefined && { deliveryDueAt }),
        isWebhookFailing: tables.breaker.openUntil !== undefined
      }
    }),
  marks: (accountIds) =>
    Effect.sync(() =>
      new Map(accountIds.flatMap((id) => {
        const tables = db.accounts.get(id)
        return tables === undefined ? [] : [[id, marksOf(db, tables)] as const]
      }))
    )
})
