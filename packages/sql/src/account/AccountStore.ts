/** Accounts, and the switches that stop their dialing. */
import type { Ids, Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { Database } from "../database/Database.ts"
import * as Rows from "../database/Rows.ts"

const read = (sql: Database["sql"], id: Ids.AccountId) =>
  // Index: primary keys. A plain read.
  Effect.map(
    sql<Rows.AccountRow>`
      select a.*, g.paused, g.epoch
      from outdial_accounts as a
      join outdial_dial_switches as g on g.account_id = a.id
      where a.id = ${id}`,
    ([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toAccount)
  )

export const make = ({ sql, statement, transaction }: Database): Storage.AccountStore["Service"] => ({
  put: Effect.fn("AccountStore.put")((account, { ifExists } = { ifExists: "replace" }) =>
    transaction(Effect.gen(function*() {
      if (ifExists === "keep") {
        // Index: primary key. The second of two writers waits for the first, and reads its row.
        const added = yield* sql`
          insert into outdial_accounts (id, name, lines, policy, plan_version, created_at)
          values (${account.id}, ${account.name}, ${account.lines}, '{}', 0, ${DateTime.toDateUtc(account.createdAt)})
          on conflict (id) do nothing
          returning id`
        if (added.length === 0) return Option.getOrThrow(yield* read(sql, account.id))
      }
      // Index: primary key. Waits for a claim of the account, which holds this row.
      const [kept] = yield* sql<Pick<Rows.AccountRow, "created_at" | "erasure_key" | "plan_version">>`
        insert into outdial_accounts as a (id, name, lines, policy, plan_version, created_at)
        values (
          ${account.id}, ${account.name}, ${account.lines}, ${JSON.stringify(account.policy ?? {})}::json, 1,
          ${DateTime.toDateUtc(account.createdAt)}
        )
        on conflict (id) do update
        set name = excluded.name,
          lines = excluded.lines,
          policy = excluded.policy,
          plan_version = a.plan_version + 1,
          blocked_until = null,
          day_started_at = null
        returning a.created_at, a.erasure_key, a.plan_version`
      // Index: primary key. Waits for submissions, which share this row; later submissions see the new value.
      const [switches] = yield* sql<Pick<Rows.AccountRow, "epoch">>`
        insert into outdial_dial_switches as g (account_id, paused, epoch)
        values (${account.id}, ${account.paused}, 1)
        on conflict (account_id) do update
        set paused = excluded.paused,
          epoch = g.epoch + 1
        returning g.epoch`
      // Index: primary key. A new plan has new lanes.
      yield* sql`delete from outdial_closed_lanes as l where l.account_id = ${account.id}`
      if (kept === undefined || switches === undefined) return yield* Effect.die(new Error("An upsert returns its row"))
      return {
        ...account,
        epoch: switches.epoch,
        planVersion: kept.plan_version,
        createdAt: DateTime.fromDateUnsafe(kept.created_at),
        ...(kept.erasure_key !== null && { erasureKey: Rows.toSecret(kept.erasure_key) })
      }
    }))
  ),

  update: Effect.fn("AccountStore.update")((id, { lines, name, paused, policy }) =>
    transaction(Effect.gen(function*() {
      // Index: primary key. Waits for a claim of the account, which holds this row. The reasons that held the account are
      // checked again, and its calls of today are counted again.
      const [row] = yield* sql<Omit<Rows.AccountRow, "epoch" | "paused">>`
        update outdial_accounts
        set name = coalesce(${name ?? null}::text, name),
          lines = coalesce(${lines ?? null}::int, lines),
          policy = coalesce(${policy === undefined ? null : JSON.stringify(policy)}::json, policy),
          plan_version = plan_version + ${policy === undefined ? 0 : 1}::int,
          blocked_until = null,
          day_started_at = null
        where id = ${id}
        returning *`
      // Index: primary key. Waits for submissions, which share this row; later submissions see the new value.
      const [switches] = yield* sql<Pick<Rows.AccountRow, "epoch" | "paused">>`
        update outdial_dial_switches
        set paused = coalesce(${paused ?? null}::boolean, paused),
          epoch = epoch + 1
        where account_id = ${id}
        returning paused, epoch`
      // Index: primary key. A new plan has new lanes.
      if (policy !== undefined) yield* sql`delete from outdial_closed_lanes as l where l.account_id = ${id}`
      return row === undefined || switches === undefined
        ? Option.none()
        : Option.some(Rows.toAccount({ ...row, ...switches }))
    }))
  ),

  get: Effect.fn("AccountStore.get")((id) => statement(read(sql, id))),

  // No index: reads every account. Accounts are tenants, so they are few.
  list: statement(Effect.map(
    sql<Rows.AccountRow>`
      select a.*, g.paused, g.epoch
      from outdial_accounts as a
      join outdial_dial_switches as g on g.account_id = a.id
      order by a.created_at, a.id`,
    (rows) => rows.map(Rows.toAccount)
  )),

  updateDeployment: Effect.fn("AccountStore.updateDeployment")(({ paused }) =>
    // The table has one row. Waits for submissions, which share it; later submissions see the new value.
    statement(Effect.asVoid(sql`
      update outdial_deployment
      set paused = ${paused}`))
  ),

  // The table has one row.
  getDeployment: statement(Effect.map(
    sql<{ readonly paused: boolean }>`select d.paused from outdial_deployment as d`,
    ([row]) => ({ paused: row?.paused === true })
  ))
})
