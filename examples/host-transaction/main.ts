import { Accounts, Agents, Calls, Engine, Events, PhoneNumber } from "@outdial/core"
import { Pglite } from "@outdial/sql"
import { Console, Deferred, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { layer } from "./engine.ts"

const program = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts.Accounts
  const agents = yield* Agents.Agents
  const calls = yield* Calls.Calls
  const engine = yield* Engine.Engine
  yield* Effect.forkScoped(engine.run) // Runs the loops. Without them, calls stay queued.
  const { id: accountId } = yield* accounts.create({ name: "Clinic", policy: { callingHours: null } })
  const agent = { name: "Ada", script: "Hello", questions: ["Will you come?"], dispositions: ["yes", "no"] }
  const { id: agentId } = yield* agents.put(accountId, agent)
  yield* sql`create table visits (id text primary key, call_id text not null)`

  /** Commits the visit and its call together, or neither. */
  const book = (visitId: string, phoneNumber: string) =>
    sql.withTransaction(Effect.gen(function*() {
      const call = yield* calls.start(accountId, { agentId, phoneNumber: PhoneNumber.PhoneNumber.make(phoneNumber) })
      yield* sql`insert into visits (id, call_id) values (${visitId}, ${call.id})`
      return call
    }))

  const ended = yield* Deferred.make<string>()
  const events = yield* Events.Events
  yield* events.subscribe(accountId, "example", ({ type }) => Deferred.succeed(ended, type))
  yield* book("visit-1", "+14155550100")
  yield* Console.log(yield* Deferred.await(ended)) // call.completed

  const refused = yield* Effect.exit(book("visit-1", "+14155550101")) // This visit exists already.
  const { items } = yield* calls.list(accountId, {}, { limit: 10, after: Option.none() })
  const visits = yield* sql`select id from visits`
  yield* Console.log(visits.length, items.length, refused._tag) // 1 1 Failure
})

await Effect.runPromise(
  Effect.scoped(program).pipe(Effect.provide(Layer.provideMerge(layer, Pglite.layer({ dataDir: undefined }))))
)
