/** The columns of an endpoint's circuit breaker, and the deliveries that it reschedules. */
import { CircuitBreaker, type Ids, type WebhookEndpoint } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import type * as Rows from "../database/Rows.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

/** Columns of `outdial_webhooks`. */
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
  /** Locks the endpoint, which its owner may set concurrently. */
  lock: (accountId: Ids.AccountId) =>
    // Index: primary key. Waits for a claim of deliveries, which skips a locked row; changes of calls do not wait.
    sql<BreakerRow & CircuitBreaker.Target & { readonly generation: number; readonly events: ReadonlyArray<string> }>`
      select w.url, w.enabled, w.events, w.generation, w.failures, w.failing_since, w.openings, w.open_until, w.recovered_at
      from outdial_webhooks as w
      where w.account_id = ${accountId}
      for no key update`,

  /** Locks the endpoint if it may be sent to. */
  lockForClaim: (accountId: Ids.AccountId, now: DateTime.Utc) =>
    // Index: primary key. One claim of an endpoint at a time, so that deliveries in flight are counted correctly. A
    // second claim does not wait: it has nothing to add.
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

  /** Starts a new generation: results of earlier claims no longer count for the endpoint. */
  renew: (accountId: Ids.AccountId) =>
    // Index: primary key. The row is locked.
    sql`
      update outdial_webhooks
      set generation = generation + 1
      where account_id = ${accountId}`,

  disable: (accountId: Ids.AccountId, reason: WebhookEndpoint.DisabledReason, now: DateTime.Utc) =>
    // Indexes: primary key, and the first rows of outdial_deliveries_open. The row is locked. An endpoint that its owner has
    // disabled stays unchanged. Returns whether this disabled it.
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

  /** When the last pending delivery is due, except this one. */
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

  /** Defers a delivery whose probe failed, unless its owner has requested it. */
  defer: (accountId: Ids.AccountId, id: Ids.DeliveryId, dueAt: DateTime.Utc) =>
    // Index: primary key. The row was written by the statement before.
    sql`
      update outdial_deliveries
      set due_at = ${DateTime.toDateUtc(dueAt)}
      where account_id = ${accountId}
        and id = ${id}
        and ${PlannerHints.unindexed(sql, sql`state = 'pending'`)}
        and cause <> 'redeliver'`,

  /** Makes the endpoint's pending deliveries due now. */
  makeDueNow: (accountId: Ids.AccountId, now: DateTime.Utc) =>
    // Index: outdial_deliveries_open, its end: only failed deliveries are due in the future. They are few after an
    // outage, in which the breaker allows no attempts.
    sql`
      update outdial_deliveries
      set due_at = ${DateTime.toDateUtc(now)}
      where account_id = ${accountId}
        and subscriber = ${EventRows.webhook}
        and state in ('pending', 'sending')
        and state = 'pending'
        and due_at > ${DateTime.toDateUtc(now)}`
})
