/**
 * The logs of conversations, and what calls keep of them. A log has its writer in one row, so that an append writes no call, and its
 * entries in another table, eight in a row, from which they are deleted when the log is sealed.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // The time that every conversation sets is text: a `timestamptz` is aligned to 8 bytes, so that a change of the length of an earlier
  // column can move it. The log would then contain the transcript between the two once more.
  yield* sql`
    alter table outdial_calls
      add column contact_spoke_at text,
      add column conversation text,
      add column line_ended_at timestamptz(3),
      add column line_end_code text,
      add column notes json`
  // Not validated, because all rows are null: a validation would read the whole table under a lock.
  yield* sql`
    alter table outdial_calls
      add constraint outdial_calls_conversation check (conversation in ('open', 'sealed')) not valid,
      add constraint outdial_calls_line_end check (
        line_end_code is null or (line_ended_at is not null and line_end_code in ('carrier_refused', 'carrier_lost'))
      ) not valid`

  // Every append renews the lease, within the page: also if one transaction appends to all logs of a page.
  yield* sql`
    create table outdial_conversations (
      account_id text collate "C" not null,
      call_id text collate "C" not null,
      created_at timestamptz(3) not null,
      generation int not null,
      entry_count int not null,
      lease_until timestamptz(3) not null,
      primary key (account_id, call_id),
      constraint outdial_conversations_counts check (generation >= 0 and entry_count >= 0)
    ) with (fillfactor = 50)`
  // The predicate is always true, and only retention uses it: a query that looks for logs by their calls is never planned to read all.
  yield* sql`
    create index outdial_conversations_oldest
    on outdial_conversations (account_id, created_at, call_id)
    where created_at > '-infinity'`

  // Rows are added to until they have eight entries, within the page: a page has rows in a tenth of it at first.
  yield* sql`
    create table outdial_conversation_entries (
      account_id text collate "C" not null,
      call_id text collate "C" not null,
      chunk int not null check (chunk >= 0),
      entries json not null,
      primary key (account_id, call_id, chunk)
    ) with (fillfactor = 10)`
})
