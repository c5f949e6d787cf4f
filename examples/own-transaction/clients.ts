import type { HostTransactions } from "@outdial/core"
import { type SQL, sql } from "drizzle-orm"
import type { TransactionSql } from "postgres"

type Client = HostTransactions.HostClient

/** postgres.js: the `tx` of `sql.begin`. */
export const ofPostgresJs = (tx: TransactionSql): Client => ({
  query: (text, values) => tx.unsafe(text, values)
})

/** Prisma: the `tx` of `prisma.$transaction`. */
export const ofPrisma = (
  tx: { readonly $queryRawUnsafe: (text: string, ...values: Array<string>) => PromiseLike<unknown> }
): Client => ({
  query: (text, values) => tx.$queryRawUnsafe(text, ...values)
})

/** Drizzle on Postgres: the `tx` of `db.transaction`. Its raw SQL takes each value in place of its placeholder. */
export const ofDrizzle = (tx: { readonly execute: (query: SQL) => PromiseLike<unknown> }): Client => ({
  query: (text, values) =>
    tx.execute(sql.join(
      text.split(/\$\d+/).flatMap((part, index) =>
        index < values.length ? [sql.raw(part), sql`${values[index]}`] : [sql.raw(part)]
      )
    ))
})
