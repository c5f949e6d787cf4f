/**
 * Which accounts have work, and when the next work is due. Both use the same queries, so that every announced instant has
 * work. These plain reads are the only ones across accounts. Each concept exports the query for its own work.
 */
import type { Ids, Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { Statement } from "effect/sql"
import * as BatchesDue from "../call/BatchesDue.ts"
import type { Database } from "../database/Database.ts"
import * as DispatchDue from "../dispatch/DispatchDue.ts"
import * as OutcomesDue from "../outcome/OutcomesDue.ts"
import * as RetentionDue from "../privacy/RetentionDue.ts"
import * as DeliveriesDue from "../webhook/DeliveriesDue.ts"

interface AccountRow {
  readonly account_id: Ids.AccountId
}

type Work = Storage.WorkStore["Service"] & {
  /** For `snapshot`. */
  readonly dueSince: (now: DateTime.Utc) => Effect.Effect<Storage.StorageSnapshot["dueSince"], Storage.StorageError>
}

const timely = ["dial", "expiry", "lease", "outcome", "delivery", "batch"] as const

/** The kinds that have an instant; the sweeper looks at its own pace. */
const announced = [...timely, "plan", "retention"] as const

export const make = ({ sql, statement }: Database): Work => {
  /** The accounts with work of the kind, and when their earliest is due: all accounts, or those due `by` then. */
  const due = (
    kind: Storage.WorkKind,
    { by, ...options }: Storage.DueOptions & {
      readonly by?: Date
      readonly dialsFrom?: ReadonlyMap<Ids.CarrierName, DateTime.Utc>
    }
  ): Statement.Fragment => {
    const { carriers } = options
    switch (kind) {
      case "dial":
        return DispatchDue.dials(sql, {
          ...(by !== undefined && { by }),
          dialable: DispatchDue.dialableOver(sql, options)
        })
      case "plan":
        return DispatchDue.plans(sql)
      case "expiry":
        return DispatchDue.expiries(sql)
      case "lease":
        return DispatchDue.leases(sql, carriers)
      case "outcome":
        return OutcomesDue.outcomes(sql)
      case "delivery":
        return sql`(${DeliveriesDue.inRange(sql)})`
      case "batch":
        return BatchesDue.batches(sql)
      case "retention":
        return RetentionDue.events(sql)
      case "sweep":
        return RetentionDue.sweeps(sql)
      default:
        return kind satisfies never
    }
  }

  const unionAll = sql.join("\nunion all\n", false)

  return {
    accountsDue: Effect.fn("WorkStore.accountsDue")(({ after, kind, limit, now, ...options }) => {
      const by = DateTime.toDateUtc(now)
      // Reads every account, by primary keys, and its work by the index of the kind.
      const accounts = kind === "delivery" && after !== undefined
        ? sql<AccountRow>`${DeliveriesDue.inTurn(sql, { after, by, limit })}`
        : sql<AccountRow>`
          select w.account_id
          from (${due(kind, { ...options, by })}) as w
          where w.due_at <= ${by}
          order by ${after === undefined ? sql`w.due_at` : sql`w.account_id <= ${after}`}, w.account_id
          limit ${limit}`
      return statement(Effect.map(accounts, (rows) => rows.map((row) => row.account_id)))
    }),

    // Reads every account, by primary keys, and its work by the indexes of the kinds.
    dueSince: Effect.fnUntraced(function*(now) {
      const by = DateTime.toDateUtc(now)
      const dialable = DispatchDue.dialableByAny(sql, now)
      const dueOf = (kind: Storage.TimelyKind) =>
        kind === "dial" ? DispatchDue.dials(sql, { by, dialable }) : due(kind, { by })
      const all = timely.map((kind) => sql`select ${kind}::text as kind, k.due_at from (${dueOf(kind)}) as k`)
      const rows = yield* statement(sql<{ readonly kind: Storage.TimelyKind; readonly due_at: Date }>`
        select w.kind, min(w.due_at) as due_at
        from (${unionAll(all)}) as w
        where w.due_at <= ${by}
        group by w.kind`)
      return new Map(rows.map(({ due_at, kind }) => [kind, DateTime.fromDateUnsafe(due_at)]))
    }),

    nextDueAt: Effect.fn("WorkStore.nextDueAt")((options) =>
      // Reads every account, by primary keys, and its work by the indexes of the kinds.
      statement(Effect.map(
        sql<{ readonly due_at: Date | null }>`
          select min(w.due_at) as due_at
          from (${unionAll(announced.map((kind) => due(kind, options)))}) as w`,
        ([row]) => Option.map(Option.fromNullishOr(row?.due_at), DateTime.fromDateUnsafe)
      ))
    )
  }
}
