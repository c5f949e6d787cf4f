/**
 * The calls that have a line, by the instant that each was dialed at. Behind an old snapshot the entries of calls that have ended
 * stay in the index, and whoever counts would walk over all of them anew: `live_since` of the account says where those begin that
 * have one. It is no guess of a node's: only claims add such calls and write it, both while they hold the account's row.
 */
import type { Ids } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"

/** So many entries are walked over in vain at most, for each node; the account's row is written once for as many claimed calls. */
const claimedBetween = 500

/** The calls `c` that have a line, of the account `a`. Index: outdial_calls_lines. */
export const isLive = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`c.stage = 'live' and c.dialed_at >= coalesce(a.live_since, '-infinity')`

/** Of the calls `c` those that a node with these carriers looks after; all of them when not given. */
export const isOfCarriers = (
  sql: SqlClient.SqlClient,
  carriers: ReadonlyArray<Ids.CarrierName> | undefined
): Statement.Fragment =>
  // A call that names no carrier belongs to any, as long as there is one.
  carriers === undefined ? sql`` : sql`and coalesce(c.carrier, ${carriers[0] ?? null}) = any(${carriers}::text[])`

interface Claimed {
  readonly now: DateTime.Utc
  readonly count: number
  /** As the account's row has it. */
  readonly since: Date | null
}

export const make = ({ sql }: Database) => {
  const claimedOf = new Map<Ids.AccountId, number>()

  const findStart = (accountId: Ids.AccountId, now: DateTime.Utc) =>
    // Indexes: primary key; outdial_calls_lines, its first row from there on. The row is locked already. What the claim itself
    // has taken is dialed now, by a clock that may be behind that of an earlier claim.
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
    /** Has the account say where they begin, after calls were claimed: at once where these begin before the others. */
    saveStart: Effect.fnUntraced(function*(accountId: Ids.AccountId, { count, now, since }: Claimed) {
      if (count === 0) return
      // A node that has just begun knows nothing of what was claimed before.
      const claimed = (claimedOf.get(accountId) ?? claimedBetween) + count
      const isDue = claimed >= claimedBetween || (since !== null && now.epochMilliseconds < since.getTime())
      claimedOf.set(accountId, isDue ? 0 : claimed)
      if (isDue) yield* findStart(accountId, now)
    })
  }
}
