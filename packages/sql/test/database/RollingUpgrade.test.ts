import { assert, it } from "@effect/vitest"
import { Factories } from "@outdial/testkit"
import { Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
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
    it.effect(name, () => test, 120_000)
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

it.layer(Layer.provideMerge(next.storage, Postgres.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "A node of the version before 0018",
  (it) => {
    it.effect("makes and reports the outcome of a call that waits for its recording", () =>
      Effect.gen(function*() {
        const account = yield* Racing.make()
        const { id: accountId, storage } = account
        yield* account.start()
        const claimed = yield* account.claim()
        const [callId] = yield* account.submit(claimed)
        if (callId === undefined) return yield* Effect.die(new Error("There is no call"))
        const { transcript, ...outcome } = Factories.outcome
        const talk = { answeredAt: Factories.start, answeredBy: "human", transcript } as const
        yield* account.end([callId], 10, { result: "hung_up", recordingFollows: true, ...talk })
        const work = { accountId, token: Factories.token(), now: Factories.at(10) }
        yield* storage.outcomes.claim({ ...work, limit: 1 })
        const result = { _tag: "Stored", outcome: Factories.outcome } as const
        yield* storage.outcomes.settle({ ...work, results: [{ callId, result }], events: account.events })
        assert.strictEqual((yield* account.get(callId)).outcomeState, "awaiting_recording")
        const sql = yield* SqlClient.SqlClient
        // What it reads: an outcome that is to be made, with all that it is made of.
        const read = yield* sql`
          select c.outcome_state, c.outcome, c.transcript
          from outdial_calls as c
          join outdial_pending_outcomes as p on p.call_id = c.id and p.due_at = c.outcome_due_at
          where c.id = ${callId}`
        assert.deepStrictEqual(read, [{ outcome_state: "pending", outcome: null, transcript }])
        // What it writes: it does not know the columns of 0018.
        yield* sql`delete from outdial_pending_outcomes where call_id = ${callId}`
        yield* sql`
          update outdial_calls
          set outcome = ${JSON.stringify({ ...outcome, summary: "Made again" })}::json,
            outcome_state = 'stored',
            outcome_due_at = null,
            outcome_token = null,
            outcome_lease_until = null
          where id = ${callId}`
        assert.deepStrictEqual(yield* account.report([callId], { _tag: "Recorded" }, 20), ["changed"])
        const call = yield* account.get(callId)
        assert.deepStrictEqual(
          [call.outcomeState, call.outcome?.summary, call.outcomeDueAt, call.hasRecording],
          ["stored", "Made again", undefined, true]
        )
      }).pipe(Effect.orDie))
  }
)
