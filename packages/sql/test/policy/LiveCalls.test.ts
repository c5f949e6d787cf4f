import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Racing from "../support/Races.ts"

/** The account's `live_since`, in seconds. */
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

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("The start of live calls", (it) => {
  it.effect("is the dial of the first, updated after many claims and not after each", () =>
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

  it.effect("moves back at once when a node with a slow clock claims", () =>
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
