/** Recordings to be removed: a row for each, written in the transaction in which its call loses it. */
import type { Event, Ids, Storage } from "@outdial/core"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"

type UnwantedRecordings = Pick<Storage.PrivacyStore["Service"], "forgetRecordings" | "unwantedRecordings">

export const make = ({ sql, statement }: Database): UnwantedRecordings => ({
  unwantedRecordings: Effect.fn("PrivacyStore.unwantedRecordings")(({ accountId, limit }) =>
    // Index: primary key, in its order.
    Effect.map(
      statement(sql<{ readonly call_id: Ids.CallId }>`
        select r.call_id
        from outdial_unwanted_recordings as r
        where r.account_id = ${accountId}
        order by r.call_id
        limit ${limit}`),
      (rows) => rows.map(({ call_id }) => call_id)
    )
  ),
  forgetRecordings: Effect.fn("PrivacyStore.forgetRecordings")(({ accountId, callIds }) =>
    // Index: primary key, once for each. A row that another node has deleted is gone.
    Effect.asVoid(statement(sql`
      delete from outdial_unwanted_recordings as r
      where r.account_id = ${accountId}
        and r.call_id = any(${callIds}::text[])`))
  )
})

export const marking = ({ sql }: Database) => {
  /** The recordings of these calls, which are locked, are to be removed. */
  const mark = (accountId: Ids.AccountId, callIds: ReadonlyArray<Ids.CallId>) =>
    callIds.length === 0 ? Effect.void : sql`
      insert into outdial_unwanted_recordings (account_id, call_id)
      select ${accountId}, r.id
      from unnest(${callIds}::text[]) as r (id)
      on conflict do nothing`
  return {
    mark,
    /** The same for the calls that these changes take their recordings from. */
    save: (accountId: Ids.AccountId, changes: ReadonlyArray<Event.StateChange>) =>
      mark(
        accountId,
        changes.flatMap(({ after, before }) => before?.hasRecording === true && !after.hasRecording ? [after.id] : [])
      )
  }
}
