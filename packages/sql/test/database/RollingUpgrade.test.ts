import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import * as Postgres from "../../../../test/support/postgres.ts"
import { openTransaction, untilBlocked } from "../support/Concurrency.ts"
import * as Racing from "../support/Races.ts"
import * as RollingUpgrade from "../support/RollingUpgrade.ts"

const { next, previous } = RollingUpgrade

const page = { limit: 10, after: Option.none() }

/** The work of a node: it accepts, dials, receives reports, and answers reads. */
const work = Effect.fnUntraced(function*(account: Racing.Racing) {
  const { id: accountId, storage } = account
  yield* account.start()
  yield* account.startBatch([])
  const claimed = yield* account.claim()
  const submitted = yield* account.submit(claimed)
  yield* account.end(submitted)
  yield* storage.calls.listBatches({ accountId, page })
  const { items } = yield* storage.calls.list({ accountId, filter: {}, page })
  assert.strictEqual(items[0]?.status, "no_answer")
})

const rounds = (count: number) => Array.from({ length: count }, (_, index) => index)

// Long enough that every node is in the middle of work, on connections with all statements prepared.
const often = rounds(6)

// A database each: both migrate it.
const upgrade = (name: string, test: ReturnType<typeof upgraded>) =>
  it.layer(Postgres.layerEmpty, { excludeTestServices: true, timeout: "60 seconds" })("A rolling upgrade", (it) => {
    it.effect(name, () => test, 60_000)
  })

const upgraded = Effect.fnUntraced(function*(during: (migrate: typeof next.migrate) => typeof next.migrate) {
  yield* previous.migrate
  const old = yield* Layer.build(previous.storage)
  const nodes = yield* Effect.forEach(rounds(4), () => Effect.provide(Racing.make(), old))
  yield* Effect.forEach(nodes, work, { concurrency: "unbounded" })
  let isOver = false
  const atWork = yield* Effect.forkChild(
    Effect.forEach(nodes, (node) => Effect.repeat(work(node), { until: () => isOver }), { concurrency: "unbounded" })
  )
  assert.deepStrictEqual(yield* during(next.migrate), [[9999, "later"]])
  const young = yield* Layer.build(next.storage)
  const newcomer = yield* Effect.provide(Racing.make(), young)
  yield* Effect.forEach(often, () => work(newcomer))
  // The earlier versions find nothing to migrate.
  assert.deepStrictEqual(yield* previous.migrate, [])
  yield* Effect.sync(() => isOver = true)
  yield* Fiber.join(atWork)
})

upgrade("brings the schema on while nodes of the version before go on working", upgraded((migrate) => migrate))

upgrade(
  "is made once by nodes that start together",
  upgraded((migrate) =>
    Effect.map(Effect.all(rounds(4).map(() => migrate), { concurrency: "unbounded" }), (ran) => ran.flat())
  )
)

upgrade(
  "gives way to those who work while it waits for a table that somebody has open",
  upgraded((migrate) =>
    Effect.scoped(Effect.gen(function*() {
      const old = yield* Layer.build(previous.storage)
      const account = yield* Effect.orDie(Effect.provide(Racing.make(), old))
      const commit = yield* openTransaction(Effect.orDie(account.start()))
      const migrating = yield* Effect.forkChild(migrate)
      yield* untilBlocked
      // Waits behind the migration, which stops waiting.
      yield* Effect.orDie(work(account))
      yield* commit
      return yield* Fiber.join(migrating)
    }))
  )
)
