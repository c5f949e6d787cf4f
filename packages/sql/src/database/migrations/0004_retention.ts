/** What is kept of deleted calls and erased callees: usage by day, and the aliases of erased numbers. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // The day is the date in the account's time zone when it was folded.
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

  // The number is stored beside its alias only if the account has used it again.
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
