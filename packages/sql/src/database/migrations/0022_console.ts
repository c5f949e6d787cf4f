/** The console: links, sessions and the audit log. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // These belong to no account: a user may see all accounts. A few rows each, but for the audit log.
  yield* sql`
    create table outdial_console_links (
      hash text collate "C" primary key,
      role text not null,
      name text not null,
      account_id text collate "C",
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      constraint outdial_console_links_role check (role in ('viewer', 'operator', 'admin'))
    )`

  yield* sql`
    create table outdial_console_sessions (
      id text collate "C" primary key,
      hash text collate "C" not null,
      role text not null,
      name text not null,
      account_id text collate "C",
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      last_used_at timestamptz(3) not null,
      constraint outdial_console_sessions_role check (role in ('viewer', 'operator', 'admin'))
    ) with (fillfactor = 50)`
  yield* sql`create unique index outdial_console_sessions_hash on outdial_console_sessions (hash)`

  yield* sql`
    create table outdial_audit_log (
      id text collate "C" primary key,
      created_at timestamptz(3) not null,
      actor text not null,
      role text not null,
      account_id text collate "C",
      action text not null,
      target text,
      status int,
      details json not null,
      constraint outdial_audit_log_role check (role in ('viewer', 'operator', 'admin'))
    )`
  yield* sql`create index outdial_audit_log_list on outdial_audit_log (created_at, id)`
  yield* sql`create index outdial_audit_log_of_account on outdial_audit_log (account_id, created_at, id)`
})
