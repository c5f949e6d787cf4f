import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Pglite from "../../../../test/support/pglite.ts"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"

/** Many callers, each of which is interrupted after another time, from at once to never. */
const impatientCallers = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const account = yield* Account.make()
  const exits = yield* Effect.forEach(
    Array.from({ length: 300 }, (_, index) => index),
    (index) =>
      Effect.exit(Effect.timeoutOption(
        index % 3 === 0
          ? Effect.asVoid(account.claim(Factories.token(), 3))
          : Effect.asVoid(account.start({}, `key ${index}`)),
        index % 50
      )),
    { concurrency: 30 }
  )
  const counts = yield* sql`
    select
      (select count(*) from outdial_calls) = (select count(*) from outdial_idempotency_keys) as whole,
      (
        select count(*)
        from outdial_idempotency_keys as i
        where not exists (select 1 from outdial_calls as c where c.account_id = i.account_id and c.id = i.resource_id)
      )::int as halves`
  assert.deepStrictEqual(exits.filter(Exit.isFailure), [])
  assert.deepStrictEqual(counts, [{ whole: true, halves: 0 }])
  assert.strictEqual((yield* account.start({}, "last"))._tag, "Started")
})

it.layer(Layer.provideMerge(SqlStorage.layer, Pglite.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "Storage on PGlite whose callers give up",
  (it) => {
    it.effect("runs a unit of work completely or not at all, and continues", () => impatientCallers, 120_000)
  }
)

it.layer(Layer.provideMerge(SqlStorage.layer, Postgres.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "Storage on Postgres whose callers give up",
  (it) => {
    it.effect("runs a unit of work completely or not at all, and continues", () => impatientCallers, 120_000)
  }
)
