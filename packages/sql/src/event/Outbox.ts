/**
 * Events and their deliveries, written in the transaction of the change that they report. Every recipient that is
 * subscribed when the change is written gets its own delivery.
 */
import type { Batch, Event, Ids } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as EventRows from "./EventRows.ts"

/** The recipients and their event types: the webhook endpoint, which has no name, and subscribers. */
export type Recipients = ReadonlyArray<{
  readonly name: string
  readonly events: ReadonlyArray<Event.SubscribableKind>
}>

export const isWanted = (recipients: Recipients, kind: Event.SubscribableKind): boolean =>
  recipients.some(({ events }) => events.includes(kind))

export interface Outbox extends ReturnType<typeof make> {}

export const make = ({ sql }: Database) => {
  /**
   * The two tables of recipients, for `listed`. Indexes: primary keys. `for key share` makes a deletion of the endpoint or a
   * subscriber wait, and then also drop these deliveries; it blocks neither claims of deliveries nor changes of the endpoint. A
   * disabled endpoint is included: its events are held.
   */
  const tables = (accountId: Ids.AccountId): Statement.Fragment =>
    sql`
      endpoint as (
        select w.events
        from outdial_webhooks as w
        where w.account_id = ${accountId}
        for key share
      ), subscribers as (
        select s.name, s.events
        from outdial_subscribers as s
        where s.account_id = ${accountId}
        for key share
      )`

  const listed: Statement.Fragment = sql`
    select ${EventRows.webhook}::text as name, e.events
    from endpoint as e
    union all
    select s.name, s.events
    from subscribers as s`

  const recipients = (accountId: Ids.AccountId) => sql<Recipients[number]>`with ${tables(accountId)} ${listed}`

  /** The same, in the statement that writes the change. */
  const writeWithRecipients = (accountId: Ids.AccountId, written: Statement.Fragment) =>
    sql<Recipients[number]>`with written as (${written}), ${tables(accountId)} ${listed}`

  /** A delivery of each event to each recipient that wants it. */
  const deliveriesOf = (events: ReadonlyArray<Event.EventRecord>, recipients: Recipients) =>
    recipients.flatMap(({ events: wanted, name }) =>
      events.filter(({ type }) => wanted.includes(type)).map((event) => EventRows.fromNewDelivery(event, name))
    )

  const insertDeliveries = (accountId: Ids.AccountId, deliveries: ReadonlyArray<EventRows.NewDelivery>) =>
    sql`
      insert into outdial_deliveries (
        account_id, id, event_id, subscriber, state, attempts, cause, due_at, created_at
      )
      select ${accountId}, r.id, r.event_id, r.subscriber, 'pending', 0, 'schedule', r.created_at, r.created_at
      from json_to_recordset(${JSON.stringify(deliveries)}::json) as r (
        id text, event_id text, subscriber text, created_at timestamptz
      )`

  /** Writes the deliveries of these events, which are written. */
  const deliver = (accountId: Ids.AccountId, events: ReadonlyArray<Event.EventRecord>, recipients: Recipients) => {
    const deliveries = deliveriesOf(events, recipients)
    return deliveries.length === 0 ? Effect.void : insertDeliveries(accountId, deliveries)
  }

  /** Writes the events and their deliveries. */
  const write = (accountId: Ids.AccountId, events: ReadonlyArray<Event.EventRecord>, recipients: Recipients) => {
    const deliveries = deliveriesOf(events, recipients)
    // Primary key: a call's terminal event has one possible id. A second end of a call is a bug, and fails here.
    const written = sql`
      insert into outdial_events (account_id, id, call_id, batch_id, type, created_at, body)
      select ${accountId}, r.id, r.call_id, r.batch_id, r.type, r.created_at, r.body
      from json_to_recordset(${JSON.stringify(events.map(EventRows.fromEvent))}::json) as r (
        id text, call_id text, batch_id text, type text, created_at timestamptz, body text
      )`
    return deliveries.length === 0
      ? written
      : sql`with written as (${written}) ${insertDeliveries(accountId, deliveries)}`
  }

  /** Adds notes that calls of these batches have ended. */
  const ended = (accountId: Ids.AccountId, batchIds: ReadonlySet<Ids.BatchId>, at: DateTime.Utc) =>
    batchIds.size === 0 ? Effect.void : sql`
      insert into outdial_batch_ends (account_id, batch_id, ended_at)
      select ${accountId}, b.id, ${DateTime.toDateUtc(at)}
      from unnest(${[...batchIds]}::text[]) as b (id)`

  /** Adds a note that a batch without calls has ended, if `batch.completed` is wanted. */
  const endedEmpty = Effect.fnUntraced(function*(accountId: Ids.AccountId, batch: Batch.BatchRecord) {
    if (!isWanted(yield* recipients(accountId), "batch.completed")) return
    yield* ended(accountId, new Set([batch.id]), batch.createdAt)
  })

  return { recipients, writeWithRecipients, write, deliver, ended, endedEmpty }
}
