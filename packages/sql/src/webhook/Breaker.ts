/** The circuit breaker of a webhook endpoint: its columns, and what is done with deliveries when it closes. */
import { CircuitBreaker, type Ids, type WebhookEndpoint } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import type * as Rows from "../database/Rows.ts"

/** Of a row of `outdial_webhooks`. */
export interface BreakerRow {
  readonly failures: number
  readonly failing_since: Date | null
  readonly openings: number
  readonly open_until: Date | null
  readonly recovered_at: Date | null
}

export const toBreaker = (row: BreakerRow): CircuitBreaker.Breaker => ({
  failures: row.failures,
  ...(row.failing_since !== null && { failingSince: DateTime.fromDateUnsafe(row.failing_since) }),
  openings: row.openings,
  ...(row.open_until !== null && { openUntil: DateTime.fromDateUnsafe(row.open_until) }),
  ...(row.recovered_at !== null && { recoveredAt: DateTime.fromDateUnsafe(row.recovered_at) })
})

const instant = (at: DateTime.Utc | undefined) => at === undefined ? null : DateTime.toDateUtc(at)

export const make = ({ sql }: Database) => ({
  /** Of the endpoint, which its owner may want to set at the same time. */
  lock: (accountId: Ids.AccountId) =>
    // Index: primary key. Waits for a claim of deliveries, which passes this over; changes of calls do not wait.
    sql<BreakerRow & CircuitBreaker.Target & { readonly generation: number; readonly events: ReadonlyArray<string> }>`
      select w.url, w.enabled, w.events, w.generation, w.failures, w.failing_since, w.openings, w.open_until, w.recovered_at
      from outdial_webhooks as w
      where w.account_id = ${accountId}
      for no key update`,

  /** Of an endpoint that may be sent to. */
  lockForClaim: (accountId: Ids.AccountId, now: DateTime.Utc) =>
    // Index: primary key. One claim of an endpoint at a time, so that what is in flight is counted right; the loser does
    // not wait, it has nothing to add.
    sql<Rows.WebhookRow & BreakerRow & { readonly generation: number }>`
      select w.*
      from outdial_webhooks as w
      where w.account_id = ${accountId}
        and w.enabled
        and (w.open_until is null or w.open_until <= ${DateTime.toDateUtc(now)})
      for no key update skip locked`,

  write: (
    accountId: Ids.AccountId,
    { failingSince, failures, openUntil, openings, recoveredAt }: CircuitBreaker.Breaker
  ) =>
    // Index: primary key. The row is locked.
    sql`
      update outdial_webhooks
      set failures = ${failures},
        failing_since = ${instant(failingSince)},
        openings = ${openings},
        open_until = ${instant(openUntil)},
        recovered_at = ${instant(recoveredAt)}
      where account_id = ${accountId}`,

  /** What was claimed before says nothing of it any more. */
  renew: (accountId: Ids.AccountId) =>
    // Index: primary key. The row is locked.
    sql`
      update outdial_webhooks
      set generation = generation + 1
      where account_id = ${accountId}`,

  disable: (accountId: Ids.AccountId, reason: WebhookEndpoint.DisabledReason, now: DateTime.Utc) =>
    // Indexes: primary key, and the first rows of outdial_deliveries_open. The row is locked. One that its owner has disabled
    // stays as it is. Answers whether it was disabled now.
    Effect.map(
      sql`
      update outdial_webhooks
      set enabled = false,
        disabled_reason = ${reason},
        disabled_at = ${DateTime.toDateUtc(now)}
      where account_id = ${accountId}
        and enabled
        and ${CircuitBreaker.openToDisable[reason]}::int <= (
          select count(*)::int
          from (
            select 1
            from outdial_deliveries as d
            where d.account_id = ${accountId}
              and d.subscriber = ${EventRows.webhook}
              and d.state in ('pending', 'sending')
            limit ${CircuitBreaker.openToDisable[reason]}
          ) as open
        )
      returning account_id`,
      (rows) => rows.length > 0
    ),

  /** When the last of those that wait is due, this one left out. */
  lastDueAt: (accountId: Ids.AccountId, id: Ids.DeliveryId) =>
    // Index: outdial_deliveries_open, its end.
    Effect.map(
      sql<{ readonly due_at: Date }>`
        select d.due_at
        from outdial_deliveries as d
        where d.account_id = ${accountId}
          and d.subscriber = ${EventRows.webhook}
          and d.state in ('pending', 'sending')
          and d.state = 'pending'
          and d.id <> ${id}
        order by d.due_at desc
        limit 1`,
      ([last]) => last === undefined ? undefined : DateTime.fromDateUnsafe(last.due_at)
    ),

  /** Puts off a delivery whose probe failed, unless its owner has asked for it. */
  defer: (accountId: Ids.AccountId, id: Ids.DeliveryId, dueAt: DateTime.Utc) =>
    // Index: primary key, to which the case keeps it, as in `CallWriter.waiting`. The row was written by the statement before.
    sql`
      update outdial_deliveries
      set due_at = ${DateTime.toDateUtc(dueAt)}
      where account_id = ${accountId}
        and id = ${id}
        and case when state = 'pending' then true end
        and cause <> 'redeliver'`,

  /** Makes due at once what waits for the endpoint. */
  makeDueNow: (accountId: Ids.AccountId, now: DateTime.Utc) =>
    // Index: outdial_deliveries_open, its end: only what has failed before lies in the future, which is little after an
    // outage, in which the breaker lets nothing fail.
    sql`
      update outdial_deliveries
      set due_at = ${DateTime.toDateUtc(now)}
      where account_id = ${accountId}
        and subscriber = ${EventRows.webhook}
        and state in ('pending', 'sending')
        and state = 'pending'
        and due_at > ${DateTime.toDateUtc(now)}`
})
