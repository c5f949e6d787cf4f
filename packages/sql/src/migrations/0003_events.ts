/** Events, their deliveries, and the log of what was tried. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table outdial_events (
      account_id text collate "C" not null,
      id text collate "C" not null,
      call_id text collate "C" not null,
      type text collate "C" not null check (
        type in ('call.completed', 'call.not_connected', 'call.dialing', 'call.in_progress')
      ),
      created_at timestamptz(3) not null,
      body text not null,
      primary key (account_id, id)
    )`
  yield* sql`
    create unique index outdial_events_one_terminal
    on outdial_events (account_id, call_id)
    where type in ('call.completed', 'call.not_connected')`
  // The predicate of an index for lists is always true: see `0002_calls`.
  yield* sql`
    create index outdial_events_newest
    on outdial_events (account_id, created_at desc, id desc)
    where created_at > '-infinity'`
  yield* sql`
    create index outdial_events_type
    on outdial_events (account_id, type, created_at desc, id desc)
    where created_at > '-infinity'`
  yield* sql`
    create index outdial_events_call
    on outdial_events (account_id, call_id, created_at desc, id desc)
    where created_at > '-infinity'`

  // While a delivery is being sent, it is due when its lease runs out. `created_at` is the event's, for lists.
  yield* sql`
    create table outdial_deliveries (
      account_id text collate "C" not null,
      id text collate "C" not null,
      event_id text collate "C" not null,
      state text not null check (state in ('pending', 'sending', 'delivered', 'exhausted')),
      attempts int not null check (attempts >= 0),
      due_at timestamptz(3) not null,
      claim_token text,
      created_at timestamptz(3) not null,
      primary key (account_id, id),
      constraint outdial_deliveries_claim check ((state = 'sending') = (claim_token is not null))
    )`
  yield* sql`
    create unique index outdial_deliveries_event
    on outdial_deliveries (account_id, event_id)`
  yield* sql`
    create index outdial_deliveries_open
    on outdial_deliveries (account_id, due_at, id)
    where state in ('pending', 'sending')`
  yield* sql`
    create index outdial_deliveries_sending
    on outdial_deliveries (account_id, due_at)
    where state = 'sending'`
  yield* sql`
    create index outdial_deliveries_newest
    on outdial_deliveries (account_id, created_at desc, id desc)
    where created_at > '-infinity'`
  // Nearly all are delivered in the end; those are found by the index above.
  yield* sql`
    create index outdial_deliveries_undelivered
    on outdial_deliveries (account_id, state, created_at desc, id desc)
    where created_at > '-infinity' and state <> 'delivered'`

  // Append-only. An attempt whose sender is gone has a number and no row.
  yield* sql`
    create table outdial_delivery_attempts (
      account_id text collate "C" not null,
      delivery_id text collate "C" not null,
      number int not null,
      attempted_at timestamptz(3) not null,
      status_code int,
      error_code text,
      duration_ms int not null,
      primary key (account_id, delivery_id, number)
    )`
})
