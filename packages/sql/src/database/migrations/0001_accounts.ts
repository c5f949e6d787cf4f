/**
 * The tables of accounts and their settings. Ids and other keys compare byte by byte (`collate "C"`), so that they sort as in
 * the engine under every collation of the database.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table outdial_deployment (
      id int primary key check (id = 1),
      paused boolean not null,
      time_zones text,
      time_zones_at timestamptz(3)
    )`
  yield* sql`insert into outdial_deployment (id, paused) values (1, false)`

  // A hold of all calls of an account is one column here, not one on each call: no call is dialed before `blocked_until`, for
  // example when a daily limit is used up. `placed_today` counts the calls placed since `day_started_at`. No live call was
  // dialed before `live_since`.
  yield* sql`
    create table outdial_accounts (
      id text collate "C" primary key,
      name text not null,
      lines int not null check (lines >= 0),
      policy json not null,
      plan_version int not null,
      blocked_until timestamptz(3),
      day_started_at timestamptz(3),
      placed_today int not null default 0,
      live_since timestamptz(3),
      erasure_key json check (
        erasure_key is null or (erasure_key ->> 'ciphertext' is not null and erasure_key ->> 'key_id' is not null)
      ),
      created_at timestamptz(3) not null
    ) with (fillfactor = 50)`
  // The row that submissions share and a pause writes is separate from the row that a claim locks, so that neither waits
  // for the other.
  yield* sql`
    create table outdial_gates (
      account_id text collate "C" primary key references outdial_accounts (id),
      paused boolean not null,
      epoch int not null
    )`

  // Closed calling hours hold all calls of a lane. A lane without a row here has to be checked.
  yield* sql`
    create table outdial_closed_lanes (
      account_id text collate "C" not null references outdial_accounts (id),
      lane text collate "C" not null,
      until timestamptz(3) not null,
      primary key (account_id, lane)
    )`
  yield* sql`
    create table outdial_do_not_call (
      account_id text collate "C" not null references outdial_accounts (id),
      phone_number text collate "C" not null,
      source text not null check (source in ('api', 'import', 'call')),
      call_id text,
      created_at timestamptz(3) not null,
      primary key (account_id, phone_number)
    )`
  yield* sql`
    create index outdial_do_not_call_newest
    on outdial_do_not_call (account_id, created_at desc, phone_number desc)
    where created_at > '-infinity'`

  yield* sql`
    create table outdial_agents (
      account_id text collate "C" not null references outdial_accounts (id),
      id text collate "C" not null,
      version int not null,
      created_at timestamptz(3) not null,
      primary key (account_id, id)
    )`
  // Documents are json, not jsonb: they are returned unchanged, including what jsonb rejects, such as \u0000.
  yield* sql`
    create table outdial_agent_versions (
      account_id text collate "C" not null,
      agent_id text collate "C" not null,
      version int not null check (version > 0),
      definition json not null,
      updated_at timestamptz(3) not null,
      primary key (account_id, agent_id, version),
      foreign key (account_id, agent_id) references outdial_agents (account_id, id)
    )`

  // Half of each page is kept free: `last_used_at` is written often, and is in no index.
  yield* sql`
    create table outdial_api_keys (
      account_id text collate "C" not null references outdial_accounts (id),
      id text collate "C" not null,
      name text not null,
      hash text collate "C" not null,
      scopes text[] not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3),
      primary key (account_id, id)
    ) with (fillfactor = 50)`
  yield* sql`create unique index outdial_api_keys_hash on outdial_api_keys (hash)`
  // Unlogged and with free space in its pages, because every request writes to it: a crash of the database may lose the
  // counts of one minute.
  yield* sql`
    create unlogged table outdial_request_windows (
      account_id text collate "C" not null,
      name text collate "C" not null,
      second bigint not null,
      counts int[] not null check (cardinality(counts) = 60),
      taken int not null,
      primary key (account_id, name)
    ) with (fillfactor = 30)`

  // Half of each page is kept free for what every failure of a receiver writes, which is in no index. Secrets are
  // sealed before they are stored, each with the id of its key.
  yield* sql`
    create table outdial_webhooks (
      account_id text collate "C" primary key references outdial_accounts (id),
      url text not null,
      enabled boolean not null,
      events text[] not null,
      secret json not null check (secret ->> 'ciphertext' is not null and secret ->> 'key_id' is not null),
      previous_secrets json not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      disabled_reason text check (disabled_reason in ('gone', 'failing')),
      disabled_at timestamptz(3),
      failures int not null default 0,
      failing_since timestamptz(3),
      openings int not null default 0,
      open_until timestamptz(3),
      recovered_at timestamptz(3),
      generation int not null default 0,
      constraint outdial_webhooks_disabled check (
        (disabled_reason is null) = (disabled_at is null) and (disabled_reason is null or not enabled)
      ),
      constraint outdial_webhooks_breaker check (
        (failures = 0) = (failing_since is null) and (openings = 0) = (open_until is null)
      )
    ) with (fillfactor = 50)`
  // Subscribers inside the host's own processes.
  yield* sql`
    create table outdial_subscribers (
      account_id text collate "C" not null references outdial_accounts (id),
      name text collate "C" not null check (name <> ''),
      events text[] not null,
      created_at timestamptz(3) not null,
      primary key (account_id, name)
    )`
})
