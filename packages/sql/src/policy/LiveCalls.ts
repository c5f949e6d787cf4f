/**
 * Live calls in the order of their dials. While an old snapshot exists, index entries of ended calls stay, and every count would
 * walk over them again: the account's `live_since` is where the live calls begin. It is exact: only claims add live calls and
 * write it, both while they hold the account's row.
 */
import type { Ids } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"

/** The number of stale entries that may be read again, per node; the account's row is written once per this many claims. */
const claimedBetween = 500

/** The live calls `c` of the account `a`. Index: outdial_calls_lines. */
export const isLive = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`c.stage = 'live' and c.dialed_at >= coalesce(a.live_since, '-infinity')`

/** Those of the calls `c` that a node with these carriers handles; all calls if not given. */
export const isOfCarriers = (
  sql: SqlClient.SqlClient,
  carriers: ReadonlyArray<Ids.CarrierName> | undefined
): Statement.Fragment =>
  // A call without a carrier belongs to any node that has one.
  carriers === undefined ? sql`` : sql`and coalesce(c.carrier, ${carriers[0] ?? null}) = any(${carriers}::text[])`

interface Claimed {
  readonly now: DateTime.Utc
  readonly count: number
  /** As stored in the account's row. */
  readonly since: Date | null
}

export const make = ({ sql }: Database) => {
  const claimedOf = new Map<Ids.AccountId, number>()

  const findStart = (accountId: Ids.AccountId, now: DateTime.Utc) =>
    // Indexes: primary key; outdial_calls_lines, its first row from there on. The row is locked already. The claim's own calls
    // are dialed now, by a clock that may be behind that of an earlier claim.
    sql`
      update outdial_accounts as a
      set live_since = (
        select c.dialed_at
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.stage = 'live'
          and c.dialed_at >= least(coalesce(a.live_since, '-infinity'), ${DateTime.toDateUtc(now)})
        order by c.dialed_at
        limit 1
      )
      where a.id = ${accountId}`

  return {
    /** Updates where live calls begin, after a claim: at once if the claimed calls come before the others. */
    saveStart: Effect.fnUntraced(function*(accountId: Ids.AccountId, { count, now, since }: Claimed) {
      if (count === 0) return
      // A new process does not know how many were claimed before.
      const claimed = (claimedOf.get(accountId) ?? claimedBetween) + count
      const isDue = claimed >= claimedBetween || (since !== null && now.epochMilliseconds < since.getTime())
      claimedOf.set(accountId, isDue ? 0 : claimed)
      if (isDue) yield* findStart(accountId, now)
    })
  }
}
