/** What is kept of calls and callees that are gone: usage by day, and the aliases of numbers that were erased. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // The day is the date that the account's zone had when it was folded.
  yield* sql`
    create table outdial_usage (
      account_id text collate "C" not null,
      day text collate "C" not null,
      placed int not null check (placed >= 0),
      seconds bigint not null check (seconds >= 0),
      primary key (account_id, day)
    )`
  yield* sql`
    create table outdial_usage_folds (
      account_id text collate "C" primary key,
      folded_until timestamptz(3) not null
    )`

  // The number stands beside its alias only when the account has given it anew.
  yield* sql`
    create table outdial_erased_callees (
      account_id text collate "C" not null,
      alias text collate "C" not null,
      phone_number text collate "C",
      erased_at timestamptz(3) not null,
      primary key (account_id, alias)
    )`
  yield* sql`
    create index outdial_erased_callees_known
    on outdial_erased_callees (account_id, phone_number)
    where phone_number is not null`
})
