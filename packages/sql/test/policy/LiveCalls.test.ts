import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Racing from "../support/Races.ts"

/** Since when the account says that calls have been dialed that have a line, in seconds. */
const liveSince = Effect.fnUntraced(function*({ id }: Racing.Racing) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly live_since: Date | null }>`
    select a.live_since
    from outdial_accounts as a
    where a.id = ${id}`
  const at = row?.live_since?.getTime()
  return at === undefined ? undefined : (at - Factories.start.epochMilliseconds) / 1000
})

const startMany = (account: Racing.Racing, count: number) =>
  account.startBatch(Array.from({ length: count }, () => Factories.phoneNumber()))

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Since when calls have a line", (it) => {
  it.effect("is when the first of them was dialed, found anew after many claims and not at each", () =>
    Effect.gen(function*() {
      const account = yield* Racing.make(Factories.openPolicy, 1000)
      assert.strictEqual(yield* liveSince(account), undefined)
      yield* startMany(account, 510)
      const { ids } = yield* account.claim(1, 2)
      yield* account.claim(2, 1)
      assert.strictEqual(yield* liveSince(account), 1)
      yield* account.end(ids, 3)
      yield* account.claim(3, 1)
      assert.strictEqual(yield* liveSince(account), 1)
      yield* account.claim(4, 500)
      assert.strictEqual(yield* liveSince(account), 2)
    }))

  it.effect("is earlier when a clock claims that is behind, at once", () =>
    Effect.gen(function*() {
      const account = yield* Racing.make()
      yield* startMany(account, 3)
      const { ids } = yield* account.claim(5, 1)
      yield* account.claim(4, 1)
      assert.strictEqual(yield* liveSince(account), 4)
      yield* account.end(ids, 6)
      yield* account.claim(3, 1)
      assert.strictEqual(yield* liveSince(account), 3)
    }))
})
