/** Accounts, and the gates that stop their calling. */
import type { Ids, Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { Database } from "./Database.ts"
import * as Rows from "./Rows.ts"

type AccountsSql = Pick<
  Storage.Storage["Service"],
  "putAccount" | "updateAccount" | "getAccount" | "listAccounts" | "pauseDeployment"
>

export const make = ({ sql, statement, transaction }: Database): AccountsSql => ({
  putAccount: Effect.fn("Storage.putAccount")((account) =>
    transaction(Effect.gen(function*() {
      // Index: primary key. Waits for a claim of the account, which holds this row.
      const [kept] = yield* sql<Pick<Rows.AccountRow, "created_at">>`
        insert into outdial_accounts as a (id, name, lines, created_at)
        values (${account.id}, ${account.name}, ${account.lines}, ${DateTime.toDateUtc(account.createdAt)})
        on conflict (id) do update
        set name = excluded.name,
          lines = excluded.lines
        returning a.created_at`
      // Index: primary key. Waits for submissions, which share this row; those behind it see what it writes.
      const [gate] = yield* sql<Pick<Rows.AccountRow, "epoch">>`
        insert into outdial_gates as g (account_id, paused, epoch)
        values (${account.id}, ${account.paused}, 1)
        on conflict (account_id) do update
        set paused = excluded.paused,
          epoch = g.epoch + 1
        returning g.epoch`
      if (kept === undefined || gate === undefined) return yield* Effect.die(new Error("An upsert returns its row"))
      return { ...account, epoch: gate.epoch, createdAt: DateTime.fromDateUnsafe(kept.created_at) }
    }))
  ),

  updateAccount: Effect.fn("Storage.updateAccount")((id, { lines, name, paused }) =>
    transaction(Effect.gen(function*() {
      // Index: primary key. Waits for a claim of the account, which holds this row.
      const [row] = yield* sql<Pick<Rows.AccountRow, "id" | "name" | "lines" | "created_at">>`
        update outdial_accounts
        set name = coalesce(${name ?? null}::text, name),
          lines = coalesce(${lines ?? null}::int, lines)
        where id = ${id}
        returning *`
      // Index: primary key. Waits for submissions, which share this row; those behind it see what it writes.
      const [gate] = yield* sql<Pick<Rows.AccountRow, "epoch" | "paused">>`
        update outdial_gates
        set paused = coalesce(${paused ?? null}::boolean, paused),
          epoch = epoch + 1
        where account_id = ${id}
        returning paused, epoch`
      return row === undefined || gate === undefined ? Option.none() : Option.some(Rows.toAccount({ ...row, ...gate }))
    }))
  ),

  getAccount: Effect.fn("Storage.getAccount")((id) =>
    // Index: primary keys. A plain read.
    statement(Effect.map(
      sql<Rows.AccountRow>`
        select a.*, g.paused, g.epoch
        from outdial_accounts as a
        join outdial_gates as g on g.account_id = a.id
        where a.id = ${id}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toAccount)
    ))
  ),

  // The whole table, which is small: accounts are tenants.
  listAccounts: statement(Effect.map(
    sql<Rows.AccountRow>`
      select a.*, g.paused, g.epoch
      from outdial_accounts as a
      join outdial_gates as g on g.account_id = a.id
      order by a.created_at, a.id`,
    (rows) => rows.map(Rows.toAccount)
  )),

  pauseDeployment: Effect.fn("Storage.pauseDeployment")((paused) =>
    // The table has one row. Waits for submissions, which share it; those behind it see what it writes.
    statement(Effect.asVoid(sql`
      update outdial_deployment
      set paused = ${paused}`))
  )
})

/**
 * The account, kept in being until the transaction ends. A key-share lock only, so that whoever holds it, a host's long
 * transaction too, holds up neither claims nor pauses.
 */
export const lookAt = ({ sql }: Database, id: Ids.AccountId) =>
  // Index: primary keys.
  Effect.flatMap(
    sql<Rows.AccountRow>`
      select a.*, g.paused, g.epoch
      from outdial_accounts as a
      join outdial_gates as g on g.account_id = a.id
      where a.id = ${id}
      for key share of a`,
    ([row]) =>
      row === undefined ? Effect.die(new Error(`There is no account ${id}`)) : Effect.succeed(Rows.toAccount(row))
  )
