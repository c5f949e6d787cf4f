/**
 * Which calls have a pending outcome, and when it is due: a narrow row beside the call, written and deleted under the call's
 * lock. With an index on calls instead, every stored outcome would write an entry to all other indexes.
 */
import type { Event, Ids } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

interface Pending {
  readonly id: Ids.CallId
  readonly dueAt: DateTime.Utc
}

export const make = ({ sql }: Database) => {
  const remove = (accountId: Ids.AccountId, pending: ReadonlyArray<Pending>) =>
    // Primary key, once for each.
    pending.length === 0 ? Effect.void : sql`
      delete from outdial_pending_outcomes as p
      where p.account_id = ${accountId}
        and p.ctid = any(array(
          select o.ctid
          from unnest(
            ${pending.map(({ dueAt }) => DateTime.formatIso(dueAt))}::timestamptz[], ${
      pending.map(({ id }) => id)
    }::text[]
          ) as r (due_at, call_id)
          cross join lateral (
            select o.ctid
            from outdial_pending_outcomes as o
            where o.account_id = ${accountId}
              and o.due_at = r.due_at
              and o.call_id = r.call_id
            ${PlannerHints.oneRow(sql)}
          ) as o
        ))`

  const add = (accountId: Ids.AccountId, pending: ReadonlyArray<Pending>) =>
    pending.length === 0 ? Effect.void : sql`
      insert into outdial_pending_outcomes (account_id, due_at, call_id)
      select ${accountId}, r.due_at, r.call_id
      from unnest(
        ${pending.map(({ dueAt }) => DateTime.formatIso(dueAt))}::timestamptz[], ${pending.map(({ id }) => id)}::text[]
      ) as r (due_at, call_id)`

  return {
    /** Applies the changes, in order, to the pending outcomes. */
    save: Effect.fnUntraced(function*(accountId: Ids.AccountId, changes: ReadonlyArray<Event.StateChange>) {
      const first = new Map(changes.toReversed().map(({ after, before }) => [after.id, before?.outcomeDueAt]))
      const last = new Map(changes.map(({ after }) => [after.id, after.outcomeDueAt]))
      const moved = [...last].filter(([id, dueAt]) => first.get(id) !== dueAt)
      yield* remove(accountId, moved.flatMap(([id]) => pendingOf(id, first.get(id))))
      yield* add(accountId, moved.flatMap(([id, dueAt]) => pendingOf(id, dueAt)))
    })
  }
}

const pendingOf = (id: Ids.CallId, dueAt: DateTime.Utc | undefined): ReadonlyArray<Pending> =>
  dueAt === undefined ? [] : [{ id, dueAt }]
