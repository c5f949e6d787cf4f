/** The sealed keys of the accounts that have erased somebody. */
import { type Ids, type SealedSecret, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import type { Database } from "../database/Database.ts"
import * as Rows from "../database/Rows.ts"

type ErasureKeys = Pick<
  Storage.Storage["Service"],
  "keepErasureKey" | "listErasureKeysOtherwise" | "replaceErasureKey"
>

interface KeyRow {
  readonly id: Ids.AccountId
  readonly erasure_key: Rows.SecretDocument
}

export const make = ({ sql, statement }: Database): ErasureKeys => ({
  keepErasureKey: Effect.fn("Storage.keepErasureKey")(({ accountId, key }) =>
    // Index: primary key. The first one stays, whoever comes with another at the same time.
    statement(Effect.flatMap(
      sql<KeyRow>`
        update outdial_accounts as a
        set erasure_key = coalesce(a.erasure_key, ${Rows.fromSecret(key)}::json)
        where a.id = ${accountId}
        returning a.id, a.erasure_key`,
      ([row]): Effect.Effect<SealedSecret.SealedSecret> =>
        row === undefined
          ? Effect.die(new Error(`There is no account ${accountId}`))
          : Effect.succeed(Rows.toSecret(row.erasure_key))
    ))
  ),

  listErasureKeysOtherwise: Effect.fn("Storage.listErasureKeysOtherwise")(({ after, keyIds, limit }) =>
    // Index: primary key, in its order. Accounts are few.
    statement(Effect.map(
      sql<KeyRow>`
        select a.id, a.erasure_key
        from outdial_accounts as a
        where a.id > ${Option.getOrElse(after, () => "")}
          and a.erasure_key ->> 'key_id' <> all(${keyIds}::text[])
        order by a.id
        limit ${limit}`,
      (rows) => rows.map(({ erasure_key, id }) => ({ accountId: id, key: Rows.toSecret(erasure_key) }))
    ))
  ),

  replaceErasureKey: Effect.fn("Storage.replaceErasureKey")(({ accountId, by, key }) =>
    // Index: primary key.
    statement(Effect.map(
      sql`
        update outdial_accounts as a
        set erasure_key = ${Rows.fromSecret(by)}::json
        where a.id = ${accountId}
          and a.erasure_key ->> 'ciphertext' = ${key.ciphertext}
        returning a.id`,
      (rows) => rows.length > 0
    ))
  )
})
