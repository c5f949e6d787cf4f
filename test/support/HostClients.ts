/** Hosts with clients that convert values differently, and how each has a transaction. */
import type { HostTransactions } from "@outdial/core"
import { drizzle } from "drizzle-orm/node-postgres"
import type { Pool } from "pg"
import postgresJs from "postgres"
import * as Clients from "../../examples/own-transaction/clients.ts"

type HostClient = HostTransactions.HostClient

/** What a host does with a client, which it has for as long as that takes. */
type Using = <A>(work: (client: HostClient) => Promise<A>) => Promise<A>

export interface Host {
  /** In a transaction: committed when the work resolves, and else rolled back. */
  readonly transaction: Using
  readonly outside: Using
}

export const withPg = (pool: Pool): Host => ({
  transaction: async (work) => {
    const client = await pool.connect()
    try {
      await client.query("begin")
      const done = await work(client)
      await client.query("commit")
      return done
    } catch (error) {
      await client.query("rollback")
      throw error
    } finally {
      client.release()
    }
  },
  outside: async (work) => {
    const client = await pool.connect()
    return work(client).finally(() => client.release())
  }
})

export const withPostgresJs = (_: Pool, url: string): Host => {
  const withSql = async <A>(work: (sql: postgresJs.Sql) => Promise<A>) => {
    const sql = postgresJs(url, { max: 1 })
    return work(sql).finally(() => sql.end())
  }
  return {
    transaction: (work) =>
      withSql(async (sql) => {
        // The type of what `begin` resolves with takes arrays of promises apart, which this is none of.
        return await sql.begin((tx) => work(Clients.ofPostgresJs(tx))) as Awaited<ReturnType<typeof work>>
      }),
    outside: (work) => withSql((sql) => work({ query: (text, values) => sql.unsafe(text, values) }))
  }
}

export const withDrizzle = (pool: Pool): Host => ({
  transaction: (work) => drizzle(pool).transaction((tx) => work(Clients.ofDrizzle(tx))),
  outside: (work) => work(Clients.ofDrizzle(drizzle(pool)))
})
