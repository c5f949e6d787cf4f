/** Aliases of erased numbers that the account has used again since. Facts under the alias also count for the number. */
import type { Account, PhoneNumber, Storage } from "@outdial/core"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"

export type Aliases = ReadonlyMap<PhoneNumber.PhoneNumber, PhoneNumber.PhoneNumber>

/** Whether a call, a request or an entry of the do-not-call list is not erased. */
export const notErased = (sql: Database["sql"], alias: "c" | "n" | "q"): Statement.Fragment =>
  sql`starts_with(${sql.literal(alias)}.phone_number, '+')`

export const none: Aliases = new Map()

export const make = ({ sql }: Database) => {
  const known = (account: Account.Account, numbers: ReadonlyArray<PhoneNumber.PhoneNumber>) =>
    // Index: outdial_erased_callees_known.
    Effect.map(
      sql<{ readonly phone_number: PhoneNumber.PhoneNumber; readonly alias: PhoneNumber.PhoneNumber }>`
        select e.phone_number, e.alias
        from outdial_erased_callees as e
        where e.account_id = ${account.id}
          and e.phone_number = any(${numbers}::text[])`,
      (rows): Aliases => new Map(rows.map((row) => [row.phone_number, row.alias]))
    )

  /** Stores the numbers of aliases that belong to erased callees, so that the alias is found by its number. */
  const saveNumbers = (account: Account.Account, aliases: Aliases) =>
    // Index: primary key. Aliases are sorted, so that two requests cannot deadlock.
    aliases.size === 0 ? Effect.void : sql`
      with named as materialized (
        select e.alias, r.phone_number
        from json_to_recordset(${JSON.stringify(Array.from(aliases, toRow))}::json) as r (phone_number text, alias text)
        join outdial_erased_callees as e on e.account_id = ${account.id} and e.alias = r.alias
        where e.phone_number is null
        order by e.alias
        for no key update of e
      )
      update outdial_erased_callees as e
      set phone_number = named.phone_number
      from named
      where e.account_id = ${account.id}
        and e.alias = named.alias`

  /** The aliases of these numbers, if the account has erased any callee; without `aliasesOf` only the known ones. */
  const aliases = Effect.fnUntraced(function*(
    account: Account.Account,
    numbers: ReadonlyArray<PhoneNumber.PhoneNumber>,
    options: { readonly aliasesOf: Storage.AliasesOf | undefined; readonly areNew: boolean }
  ) {
    const { erasureKey } = account
    if (erasureKey === undefined) return none
    if (options.aliasesOf !== undefined) return yield* options.aliasesOf(erasureKey, numbers)
    // Planning without aliases would ignore the callees that the rules protect.
    if (options.areNew) return yield* Effect.die(new Error(`${account.id} has erased a callee: aliasesOf is required`))
    return yield* known(account, numbers)
  })

  return { aliases, known, saveNumbers }
}

const toRow = ([phone_number, alias]: readonly [string, string]) => ({ phone_number, alias })
