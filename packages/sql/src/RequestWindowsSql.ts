/**
 * Request windows: how often keys and accounts have asked in the last 60 seconds. Guarantees that a window is exact whatever
 * number of nodes writes it, because each request counts in the row as it stands under the row's lock.
 */
import { RequestWindow, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "./Database.ts"
import * as Rows from "./Rows.ts"

type RequestWindowsSql = Pick<Storage.Storage["Service"], "useApiKey" | "takeRequest">

/** A window right after a request. */
interface WindowRow {
  readonly counts: ReadonlyArray<number>
  /** Whether the request was counted. */
  readonly taken: boolean
}

interface KeyUseRow extends Rows.ApiKeyRow {
  /** Null when the key cannot be used. */
  readonly counts: WindowRow["counts"] | null
  readonly taken: WindowRow["taken"] | null
}

export const make = ({ sql, statement }: Database): RequestWindowsSql => {
  /** Takes a request from the window that `source` names by `account_id` and `name`, if it names one. */
  const take = (source: Statement.Fragment, now: DateTime.Utc, limit: number) =>
    // Index: primary key. This is `RequestWindow.take` in SQL, because the row to count in is the one that the conflict has
    // locked, which no earlier read has seen: shift out the seconds that have passed, and count while there is room. An
    // earlier `second` shifts nothing.
    sql`
      insert into outdial_request_windows as w (account_id, name, second, counts, taken)
      select s.account_id, s.name, ${secondOf(now)}::bigint, array_fill(0, array[59]) || (${limit}::int > 0)::int,
        ${limit}::int > 0
      from (${source}) as s
      on conflict (account_id, name) do update
      set (second, counts, taken) = (
        select greatest(w.second, excluded.second), m.counts[1:59] || (m.counts[60] + t.taken::int), t.taken
        from (
          select least(60, greatest(0, excluded.second - w.second))::int as shift
        ) as p
        cross join lateral (
          select w.counts[p.shift + 1:60] || array_fill(0, array[p.shift]) as counts
        ) as m
        cross join lateral (
          select sum(n) < ${limit}::int as taken
          from unnest(m.counts) as n
        ) as t
      )
      returning w.counts, w.taken`

  return {
    useApiKey: Effect.fn("Storage.useApiKey")(({ hash, limit, now }) => {
      const at = DateTime.toDateUtc(now)
      const minute = DateTime.toDateUtc(DateTime.startOf(now, "minute"))
      // Unique index: outdial_api_keys_hash; primary keys. The window is always locked before the key, so that no two uses
      // can deadlock. Of many uses that find the minute unwritten, those behind the first find it written.
      return statement(Effect.map(
        sql<KeyUseRow>`
          with key as (
            select k.*
            from outdial_api_keys as k
            where k.hash = ${hash}
          ),
          used as (${
          take(
            sql`
              select key.account_id, key.id as name
              from key
              where key.revoked_at is null
                and (key.expires_at is null or key.expires_at > ${at}::timestamptz)`,
            now,
            limit
          )
        }),
          noted as (
            update outdial_api_keys as k
            set last_used_at = ${minute}
            from used
            cross join key
            where k.account_id = key.account_id
              and k.id = key.id
              and (key.last_used_at is null or key.last_used_at < ${minute}::timestamptz)
              and (k.last_used_at is null or k.last_used_at < ${minute}::timestamptz)
          )
          select key.account_id, key.id, key.name, key.hash, key.scopes, key.created_at, key.expires_at, key.revoked_at,
            case
              when used.taken is null then key.last_used_at
              else greatest(key.last_used_at, ${minute}::timestamptz)
            end as last_used_at,
            used.counts, used.taken
          from key
          left join used on true`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), (row) => toKeyUse(row, limit))
      ))
    }),

    takeRequest: Effect.fn("Storage.takeRequest")(({ accountId, limit, name, now }) =>
      statement(Effect.flatMap(
        sql<WindowRow>`${take(sql`select ${accountId}::text as account_id, ${name}::text as name`, now, limit)}`,
        ([row]) =>
          row === undefined
            ? Effect.die(new Error("An upsert returns its row"))
            : Effect.succeed(toVerdict(row, limit))
      ))
    )
  }
}

const toKeyUse = ({ counts, taken, ...row }: KeyUseRow, limit: number): Storage.KeyUse => ({
  key: Rows.toApiKey(row),
  verdict: counts === null || taken === null ? Option.none() : Option.some(toVerdict({ counts, taken }, limit))
})

/** What `RequestWindow.take` says of the window as it was before; its verdict is the same at every second. */
const toVerdict = ({ counts, taken }: WindowRow, limit: number): RequestWindow.Verdict => {
  const before = taken ? [...counts.slice(0, -1), (counts[counts.length - 1] ?? 0) - 1] : counts
  return RequestWindow.take({ second: 0, counts: before }, { limit, second: 0 }).verdict
}

const secondOf = (now: DateTime.Utc): number => Math.floor(now.epochMilliseconds / 1000)
