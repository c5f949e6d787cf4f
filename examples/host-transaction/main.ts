import { Accounts, Agents, Calls, PhoneNumber } from "@outdial/core"
import { Pglite } from "@outdial/sql"
import { Console, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Engine from "./engine.ts"

const program = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts.Accounts
  const agents = yield* Agents.Agents
  const calls = yield* Calls.Calls
  const { id: accountId } = yield* accounts.create({ name: "Clinic" })
  const agent = { name: "Ada", script: "Hello", questions: ["Will you come?"], dispositions: ["yes", "no"] }
  const { id: agentId } = yield* agents.put(accountId, agent)
  yield* sql`create table visits (id text primary key, call_id text not null)`

  /** The visit and its call are there together, or neither is. */
  const book = (visitId: string, phoneNumber: string) =>
    sql.withTransaction(Effect.gen(function*() {
      const call = yield* calls.start(accountId, { agentId, phoneNumber: PhoneNumber.PhoneNumber.make(phoneNumber) })
      yield* sql`insert into visits (id, call_id) values (${visitId}, ${call.id})`
      return call
    }))

  yield* book("visit-1", "+14155550100")
  const refused = yield* Effect.exit(book("visit-1", "+14155550101")) // There is such a visit already.
  const { items } = yield* calls.list(accountId, {}, { limit: 10, after: Option.none() })
  const visits = yield* sql`select id from visits`
  yield* Console.log(`${visits.length} visit, ${items.length} call, the other: ${refused._tag}`) // 1 visit, 1 call, the other: Failure
})

await Effect.runPromise(
  program.pipe(Effect.provide(Engine.layer.pipe(Layer.provideMerge(Pglite.layer({ dataDir: undefined })))))
)
