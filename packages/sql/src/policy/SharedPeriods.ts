/** The periods in which many calls were held at once: of lanes, of an account and of the deployment. */
import type { HoldPeriods, Ids, Lane } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"

/** A period as stored, as JSON. */
interface PeriodRow {
  readonly code: HoldPeriods.HoldPeriod["code"]
  readonly since: string
  readonly until?: string
}

/** The column `hold_periods`; null before the first. */
export type PeriodRows = ReadonlyArray<PeriodRow> | null

export const toPeriods = (rows: PeriodRows): HoldPeriods.HoldPeriods =>
  (rows ?? []).map(({ code, since, until }) => ({
    code,
    since: DateTime.makeUnsafe(since),
    ...(until !== undefined && { until: DateTime.makeUnsafe(until) })
  }))

interface SharedRow {
  readonly account: PeriodRows
  readonly deployment: PeriodRows
  readonly lanes: ReadonlyArray<{ readonly lane: Lane.Lane; readonly periods: PeriodRows }> | null
}

export const make = ({ sql }: Database) => ({
  /** Of calls in these lanes. */
  read: (accountId: Ids.AccountId, lanes: ReadonlyArray<Lane.Lane>) =>
    // Indexes: primary keys. A plain read.
    Effect.map(
      sql<SharedRow>`
        select a.hold_periods as account, d.hold_periods as deployment, (
          select json_agg(json_build_object('lane', k.lane, 'periods', k.hold_periods))
          from outdial_closed_lanes as k
          where k.account_id = ${accountId}
            and k.lane = any(${[...new Set(lanes)]}::text[])
        ) as lanes
        from outdial_accounts as a
        join outdial_deployment as d on d.id = 1
        where a.id = ${accountId}`,
      ([row]): HoldPeriods.SharedPeriods => ({
        account: toPeriods(row?.account ?? null),
        deployment: toPeriods(row?.deployment ?? null),
        lanes: new Map((row?.lanes ?? []).map(({ lane, periods }) => [lane, toPeriods(periods)]))
      })
    )
})
