/** The feed of events, in which no event appears before an earlier position, and the retention of events. */
import { Ids, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as EventRows from "./EventRows.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type Feed = Pick<Storage.EventStore["Service"], "readFeed" | "prune">

/** Positions to assign at a time, at least: few enough for a fast page, enough that most pages find theirs assigned. */
const placedAtOnce = 500

interface FeedRow extends EventRows.EventRow {
  readonly position: string
}

export const make = (database: Database): Feed => {
  const { sql, statement, transaction } = database
  const isStored = EventRows.isStored(database)

  const read = ({ accountId, after, limit }: Parameters<Feed["readFeed"]>[0]) =>
    // Index: outdial_events_feed, in its order. A plain read: positions are never changed.
    sql<FeedRow>`
      select e.*
      from outdial_events as e
      where e.account_id = ${accountId}
        and e.position > ${after}
        and not e.erased
      order by e.position
      limit ${limit + 1}`

  /** Assigns positions to events that have none, oldest first. Events that commit later get later positions. */
  const assignPositions = Effect.fnUntraced(function*(accountId: Ids.AccountId, atLeast: number) {
    // Index: primary key. One reader at a time, so that positions become visible in order.
    yield* sql`
      insert into outdial_feeds (account_id, last_position)
      values (${accountId}, 0)
      on conflict do nothing`
    // Index: primary key.
    yield* sql`
      select f.last_position
      from outdial_feeds as f
      where f.account_id = ${accountId}
      for update`
    // Index: outdial_events_without_position, in its order; then primary keys.
    yield* sql`
      with unplaced as (
        select u.id, row_number() over (order by u.created_at, u.id) as n
        from (
          select e.id, e.created_at
          from outdial_events as e
          where e.account_id = ${accountId}
            and e.position is null
          order by e.created_at, e.id
          limit ${Math.max(atLeast, placedAtOnce)}
        ) as u
      ), placed as (
        update outdial_events as e
        set position = f.last_position + u.n
        from unplaced as u
        join outdial_feeds as f on f.account_id = ${accountId}
        where e.account_id = ${accountId}
          and e.id = any(array(select unplaced.id from unplaced))
          and e.id = u.id
        returning e.position
      )
      update outdial_feeds
      set last_position = greatest(last_position, (select max(placed.position) from placed))
      where account_id = ${accountId}`
  })

  const hasUnpositioned = (accountId: Ids.AccountId) =>
    // Index: outdial_events_without_position.
    Effect.map(
      sql`
        select 1
        from outdial_events as e
        where e.account_id = ${accountId}
          and e.position is null
        limit 1`,
      (rows) => rows.length > 0
    )

  /** Deletes a delivery without an event when its event would have been deleted. */
  const orphans = ({ accountId, before, limit }: Storage.PruneOptions, isStored: Statement.Fragment) =>
    // Indexes: that of the condition, from its end; primary key of the events. Reads no more
    // deliveries than a set has, the oldest first.
    sql<{ readonly id: Ids.DeliveryId }>`
      select d.id
      from (
        select d.id, d.event_id
        from outdial_deliveries as d
        where d.account_id = ${accountId}
          and d.subscriber = ''
          and ${PlannerHints.isListed(sql, "d")}
          and d.created_at <= ${DateTime.toDateUtc(before)}
          and ${isStored}
        order by d.created_at, d.id
        limit ${limit}
        for update skip locked
      ) as d
      where (
        select true
        from outdial_events as e
        where e.account_id = ${accountId}
          and e.id = d.event_id
        ${PlannerHints.oneRow(sql)}
      ) is null`

  const prune = Effect.fnUntraced(function*({ accountId, before, limit }: Parameters<Feed["prune"]>[0]) {
    const until = DateTime.toDateUtc(before)
    // Index: outdial_events_newest from its beginning. Skips events that another node is pruning, or that are being redelivered.
    // Locks before it reads: the next statement sees a delivery that was written before the lock.
    const events = yield* sql<{ readonly id: Ids.EventId; readonly created_at: Date }>`
      select e.id, e.created_at
      from outdial_events as e
      where e.account_id = ${accountId}
        and ${PlannerHints.isListed(sql, "e")}
        and e.created_at <= ${until}
      order by e.created_at, e.id
      limit ${limit}
      for update skip locked`
    const eventIds = events.map(({ id }) => id)
    // Indexes: primary key; outdial_deliveries_subscribed. Waits for attempts that are being written, to delete them.
    const withEvents = yield* sql<{ readonly id: Ids.DeliveryId }>`
      select d.id
      from outdial_deliveries as d
      where d.account_id = ${accountId}
        and d.id = any(${eventIds.map(Ids.deliveryId)}::text[] || array(
          select s.id
          from outdial_deliveries as s
          where s.account_id = ${accountId}
            and s.subscriber <> ''
            and s.event_id = any(${eventIds}::text[])
        ))
      order by d.id
      for update`
    // Only those as old as these events, so that the cost is one set's, however many remain.
    const youngest = DateTime.fromDateUnsafe(events.length < limit ? until : events.at(-1)?.created_at ?? until)
    const withoutEvents = yield* Effect.forEach(
      EventRows.storedStates,
      (state) => orphans({ accountId, before: youngest, limit }, isStored(state))
    )
    const deliveryIds = [withEvents, ...withoutEvents].flat().map(({ id }) => id)
    // Index: primary keys. All are locked.
    yield* sql`
      with deliveries as (
        delete from outdial_deliveries as d
        where d.account_id = ${accountId}
          and d.id = any(${deliveryIds}::text[])
      )
      delete from outdial_events as e
      where e.account_id = ${accountId}
        and e.id = any(${eventIds}::text[])`
    return events.length
  })

  return {
    readFeed: Effect.fn("EventStore.readFeed")(function*(options) {
      const { accountId, limit } = options
      // In this order: a position that is assigned between the two reads is read.
      const isMore = yield* statement(hasUnpositioned(accountId))
      const positioned = yield* statement(read(options))
      const isEnough = !isMore || positioned.length > limit
      const rows = isEnough
        ? positioned
        : yield* transaction(Effect.andThen(assignPositions(accountId, limit + 1), read(options)))
      const items = rows.slice(0, limit).map((row) => ({ ...EventRows.toEvent(row), position: Number(row.position) }))
      return { items, hasMore: rows.length > limit }
    }),

    prune: Effect.fn("EventStore.prune")((options) => transaction(prune(options)))
  }
}
