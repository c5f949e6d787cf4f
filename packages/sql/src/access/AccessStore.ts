/**
 * API keys (see `ApiKeys`) and request windows, which count the requests of keys and accounts in the last 60 seconds. A window is
 * exact for any number of nodes: requests are counted in the current row under its lock, concurrent ones in one statement.
 */
import { LazySpan, RequestWindow, type Storage } from "@outdial/core"
import { DateTime, Effect, Option, type Scope } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as WriteBatcher from "../database/WriteBatcher.ts"
import * as Rows from "../database/Rows.ts"
import * as ApiKeys from "./ApiKeys.ts"

type Use = Parameters<Storage.AccessStore["Service"]["admit"]>[0]

/** A window right after requests. */
interface WindowRow {
  readonly counts: ReadonlyArray<number>
  /** How many of the requests were counted. */
  readonly taken: number
}

interface KeyUseRow extends Rows.ApiKeyRow {
  /** Null when the key cannot be used. */
  readonly counts: WindowRow["counts"] | null
  readonly taken: WindowRow["taken"] | null
}

export const make = Effect.fnUntraced(function*(
  database: Database
): Effect.fn.Return<Storage.AccessStore["Service"], never, Scope.Scope> {
  const { sql, statement } = database

  /** Counts requests in the windows that `source` names by `account_id` and `name`: in each up to `asked` of them. */
  const takeFromWindows = (source: Statement.Fragment, now: DateTime.Utc, limit: number) =>
    // Index: primary key. This is `RequestWindow.take` in SQL, because the row to count in is locked by the conflict, and
    // no earlier read has seen it: drop the seconds that have passed, then count while there is room. An earlier `second`
    // drops nothing. Keys are sorted, so that two sets cannot deadlock.
    sql`
      insert into outdial_request_windows as w (account_id, name, second, counts, taken)
      select s.account_id, s.name, ${secondOf(now)}::bigint, array_fill(0, array[59]) || least(s.asked, ${limit}::int),
        least(s.asked, ${limit}::int)
      from (${source}) as s
      order by s.account_id collate "C", s.name collate "C"
      on conflict (account_id, name) do update
      set (second, counts, taken) = (
        select greatest(w.second, excluded.second), m.counts[1:59] || (m.counts[60] + t.taken), t.taken
        from (
          select least(60, greatest(0, excluded.second - w.second))::int as shift
        ) as p
        cross join lateral (
          select w.counts[p.shift + 1:60] || array_fill(0, array[p.shift]) as counts
        ) as m
        cross join lateral (
          select greatest(0, least(excluded.taken, ${limit}::int - sum(n)))::int as taken
          from unnest(m.counts) as n
        ) as t
      )
      returning w.account_id, w.name, w.counts, w.taken`

  /** Keys by hash, each with its window after that many requests. */
  const rowsOf = (asked: ReadonlyMap<string, number>, now: DateTime.Utc, limit: number, lockTimeout?: string) => {
    const at = DateTime.toDateUtc(now)
    const minute = DateTime.toDateUtc(DateTime.startOf(now, "minute"))
    // Unique index: outdial_api_keys_hash; primary keys. If another transaction holds a key (for example a host that revokes
    // it in a long transaction), a later use records `last_used_at`: no request waits for that lock. Only the first of many
    // concurrent uses writes the minute. Requests of one key wait while a host's transaction holds its window, for the lock
    // timeout set here; in a host's transaction its own setting stays.
    return statement(Effect.map(
      sql<KeyUseRow>`
        with patience as materialized (
          select set_config('lock_timeout', coalesce(${
        lockTimeout ?? null
      }::text, current_setting('lock_timeout')), true)
        ),
        key as (
          select k.*, n.asked
          from patience
          cross join unnest(${[...asked.keys()]}::text[], ${[...asked.values()]}::int[]) as n (hash, asked)
          join outdial_api_keys as k on k.hash = n.hash
        ),
        used as (${
        takeFromWindows(
          sql`
            select key.account_id, key.id as name, key.asked
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
          from (
            select n.account_id, n.id
            from used
            join key on key.account_id = used.account_id and key.id = used.name
            join outdial_api_keys as n on n.account_id = key.account_id and n.id = key.id
            where key.last_used_at is null or key.last_used_at < ${minute}::timestamptz
            for no key update of n skip locked
          ) as free
          where k.account_id = free.account_id
            and k.id = free.id
            and (k.last_used_at is null or k.last_used_at < ${minute}::timestamptz)
        )
        select key.account_id, key.id, key.name, key.hash, key.scopes, key.created_at, key.expires_at, key.revoked_at,
          case
            when used.taken is null then key.last_used_at
            else greatest(key.last_used_at, ${minute}::timestamptz)
          end as last_used_at,
          used.counts, used.taken
        from key
        left join used on used.account_id = key.account_id and used.name = key.id`,
      (rows) => new Map(rows.map((row) => [row.hash, row]))
    ))
  }

  /** Answers uses in order. All have the same limit. */
  const useAll = Effect.fnUntraced(function*(uses: readonly [Use, ...ReadonlyArray<Use>], lockTimeout?: string) {
    const [{ limit }] = uses
    const asked = new Map<string, number>()
    const positions = uses.map(({ hash }) => {
      const position = asked.get(hash) ?? 0
      asked.set(hash, position + 1)
      return position
    })
    const now = uses.map(({ now }) => now).reduce(DateTime.max)
    const rows = yield* rowsOf(asked, now, limit, lockTimeout)
    return uses.map(({ hash }, index) =>
      Option.map(
        Option.fromUndefinedOr(rows.get(hash)),
        (row) => toKeyUse(row, { limit, position: positions[index] ?? 0 })
      )
    )
  })

  // Uses of all keys and accounts share one statement, which waits for locks only briefly.
  const use = yield* WriteBatcher.make<Use, Option.Option<Storage.KeyUse>>(database, {
    keyOf: ({ limit }) => `${limit}`,
    batch: useAll,
    ambient: (use) => Effect.map(useAll([use]), ([found]) => found ?? Option.none()),
    fallback: () => Effect.die(new Error("Every use of a key must have an answer"))
  })

  return {
    ...ApiKeys.make(database),
    admit: LazySpan.fn("AccessStore.admit")(use),

    takeFromWindow: Effect.fn("AccessStore.takeFromWindow")(({ accountId, limit, name, now }) =>
      statement(Effect.flatMap(
        sql<WindowRow>`${
          takeFromWindows(sql`select ${accountId}::text as account_id, ${name}::text as name, 1 as asked`, now, limit)
        }`,
        ([row]) =>
          row === undefined
            ? Effect.die(new Error("An upsert returns its row"))
            : Effect.succeed(toVerdict(row, { limit, position: 0 }))
      ))
    )
  }
})

/** The index of a request among those counted in a window at once, from 0. */
interface Position {
  readonly limit: number
  readonly position: number
}

const toKeyUse = ({ counts, taken, ...row }: KeyUseRow, position: Position): Storage.KeyUse => ({
  key: Rows.toApiKey(row),
  verdict: counts === null || taken === null ? Option.none() : Option.some(toVerdict({ counts, taken }, position))
})

/** The verdict of `RequestWindow.take` on the window as it was before this request; the same at every second. */
const toVerdict = ({ counts, taken }: WindowRow, { limit, position }: Position): RequestWindow.Verdict => {
  const notYet = Math.max(0, taken - position)
  const before = [...counts.slice(0, -1), (counts[counts.length - 1] ?? 0) - notYet]
  return RequestWindow.take({ second: 0, counts: before }, { limit, second: 0 }).verdict
}

const secondOf = (now: DateTime.Utc): number => Math.floor(now.epochMilliseconds / 1000)
