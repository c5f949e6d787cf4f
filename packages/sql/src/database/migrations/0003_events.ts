/** Events and their deliveries, each with the log of its attempts. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // An event's id is derived from that of its call or batch, with a suffix if it reports progress. So the primary key prevents
  // two terminal events of a call and two completions of a batch, no other event can take their ids, and the events of a call
  // are adjacent.
  yield* sql`
    create table outdial_events (
      account_id text collate "C" not null,
      id text collate "C" not null,
      call_id text collate "C",
      batch_id text collate "C",
      type text collate "C" not null check (
        type in (
          'call.completed', 'call.not_connected', 'call.dialing', 'call.in_progress', 'call.outcome_updated',
          'batch.completed'
        )
      ),
      created_at timestamptz(3) not null,
      body text not null,
      position bigint,
      erased boolean not null default false,
      primary key (account_id, id),
      constraint outdial_events_about check (
        case when type = 'batch.completed' then call_id is null and batch_id is not null
        else call_id is not null and batch_id is null end
      ),
      constraint outdial_events_id check (
        case
          when type = 'batch.completed' then id = 'evt_' || substr(batch_id, 7)
          when type in ('call.completed', 'call.not_connected') then id = 'evt_' || substr(call_id, 6)
          else starts_with(id, 'evt_' || substr(call_id, 6) || case type
            when 'call.dialing' then 'D'
            when 'call.in_progress' then 'P'
            else 'U'
          end)
        end
      )
    )`
  // The feed: events with a position, and events that have none yet.
  yield* sql`
    create unique index outdial_events_feed
    on outdial_events (account_id, position)
    where position is not null`
  yield* sql`
    create index outdial_events_unplaced
    on outdial_events (account_id, created_at, id)
    where position is null`
  yield* sql`
    create table outdial_feeds (
      account_id text collate "C" primary key,
      last_position bigint not null
    )`
  // A note for each change that ended calls of a batch. Whether all have ended is checked after the commit, so that calls
  // that end together do not wait for each other.
  yield* sql`
    create table outdial_batch_ends (
      account_id text collate "C" not null,
      batch_id text collate "C" not null,
      ended_at timestamptz(3) not null
    )`
  yield* sql`
    create index outdial_batch_ends_due
    on outdial_batch_ends (account_id, ended_at)`
  // The predicate of an index for lists is always true, and it is read from its end: see `0002_calls`.
  yield* sql`
    create index outdial_events_newest
    on outdial_events (account_id, created_at, id)
    where created_at > '-infinity'`
  yield* sql`
    create index outdial_events_type
    on outdial_events (account_id, type, created_at, id)
    where created_at > '-infinity'`

  // While a delivery is being sent, it is due when its lease runs out. `created_at` is the event's, for lists. The webhook
  // endpoint is the subscriber without a name. Ids are derived from the event's and the subscriber's, so that there is one
  // delivery for each. `log` has every attempt that its sender reported, oldest first; those that count are `attempts`.
  // `generation` is that of the endpoint when it was claimed; `again` means that its owner has requested a redelivery
  // meanwhile. Nearly every row is written three times, each time with new entries in its indexes, so these are few.
  yield* sql`
    create table outdial_deliveries (
      account_id text collate "C" not null,
      id text collate "C" not null,
      event_id text collate "C" not null,
      subscriber text collate "C" not null,
      state text not null check (state in ('pending', 'sending', 'delivered', 'exhausted', 'dropped')),
      attempts int not null check (attempts >= 0),
      cause text not null check (cause in ('schedule', 'probe', 'redeliver', 'recover')),
      due_at timestamptz(3) not null,
      claim_token text,
      generation int not null default 0,
      again boolean not null default false,
      log jsonb not null default '[]',
      created_at timestamptz(3) not null,
      primary key (account_id, id),
      constraint outdial_deliveries_claim check ((state = 'sending') = (claim_token is not null)),
      constraint outdial_deliveries_again check (state = 'sending' or not again)
    )`
  yield* sql`
    create index outdial_deliveries_subscribed
    on outdial_deliveries (event_id, account_id)
    where subscriber <> ''`
  yield* sql`
    create index outdial_deliveries_open
    on outdial_deliveries (account_id, subscriber, due_at, id)
    where state in ('pending', 'sending')`
  yield* sql`
    create index outdial_deliveries_sending
    on outdial_deliveries (account_id, subscriber, due_at)
    where state = 'sending'`
  // For lists: nearly all are delivered in the end. Those being sent are few, and use the index above.
  yield* sql`
    create index outdial_deliveries_delivered
    on outdial_deliveries (account_id, created_at desc, id desc)
    where created_at > '-infinity' and subscriber = '' and state = 'delivered'`
  yield* sql`
    create index outdial_deliveries_undelivered
    on outdial_deliveries (account_id, state, created_at desc, id desc)
    where created_at > '-infinity' and subscriber = '' and state <> 'delivered' and state <> 'sending'`

  yield* sql`
    create index outdial_deliveries_given_up
    on outdial_deliveries (account_id, subscriber)
    where state = 'exhausted' and subscriber <> ''`
})
