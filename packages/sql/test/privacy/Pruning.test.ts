import { assert, it } from "@effect/vitest"
import { Ids } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { openTransaction } from "../support/Concurrency.ts"

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

const before = Factories.start
const now = DateTime.addDuration(before, Duration.days(30))

type Account = Effect.Success<ReturnType<typeof Account.make>>

/** An account with old events from before it had its endpoint, and their ids. */
const withOldEvents = Effect.fnUntraced(function*(count: number) {
  const account = yield* Account.make()
  const ids = yield* Effect.forEach(Array.from({ length: count }), () => endCall(account))
  yield* account.setWebhook
  return { account, ids }
})

const endCall = Effect.fnUntraced(function*({ start }: Account) {
  const id = Factories.callId()
  const ended = { status: "completed", endedAt: before, outcome: Factories.outcome, outcomeState: "stored" } as const
  yield* start({ id, test: true, ...ended })
  return Ids.terminalEventId(id)
})

const recover = ({ id: accountId, storage }: Account) =>
  storage.deliveries.recover({ accountId, since: before, until: now, now, limit: 1000 })

const redeliver = ({ id: accountId, storage }: Account, eventId: Ids.EventId) =>
  storage.deliveries.redeliver({ accountId, eventId, now })

const prune = ({ id: accountId, storage }: Account) => storage.events.prune({ accountId, before, limit: 1000 })

const claim = ({ id: accountId, storage }: Account) =>
  Effect.map(
    storage.deliveries.claim({ accountId, now, limit: 4, token: Factories.token() }),
    (claimed) => claimed.map(({ eventId }) => eventId)
  )

const kept = Effect.fnUntraced(function*({ id }: Account) {
  const sql = yield* SqlClient.SqlClient
  const events = yield* sql`select 1 from outdial_events where account_id = ${id}`
  const deliveries = yield* sql`select 1 from outdial_deliveries where account_id = ${id}`
  return { events: events.length, deliveries: deliveries.length }
})

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Pruning", (it) => {
  it.effect("skips events that are being redelivered, and deletes them with their deliveries later", () =>
    Effect.gen(function*() {
      const { account, ids: [one = assert.fail("no event")] } = yield* withOldEvents(2)
      const commitRecovery = yield* openTransaction(recover(account))
      assert.strictEqual(yield* prune(account), 0)
      yield* commitRecovery
      assert.deepStrictEqual(yield* kept(account), { events: 2, deliveries: 2 })
      const commitRedelivery = yield* openTransaction(redeliver(account, one))
      assert.strictEqual(yield* prune(account), 1)
      yield* commitRedelivery
      assert.strictEqual(yield* prune(account), 1)
      assert.deepStrictEqual(yield* kept(account), { events: 0, deliveries: 0 })
    }))

  it.effect("leaves nothing to redeliver of the events that it deletes", () =>
    Effect.gen(function*() {
      const { account, ids: [one = assert.fail("no event")] } = yield* withOldEvents(2)
      const commit = yield* openTransaction(prune(account))
      assert.deepStrictEqual(yield* recover(account), { _tag: "Recovering", deliveries: 0 })
      assert.deepStrictEqual(yield* redeliver(account, one), { _tag: "NoEvent" })
      yield* commit
      assert.deepStrictEqual(yield* kept(account), { events: 0, deliveries: 0 })
    }))

  it.effect("of many accounts at the same time as their recovery leaves no delivery without its event", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* Effect.forEach(Array.from({ length: 10 }), () => withOldEvents(20))
      yield* Effect.forEach(
        accounts,
        ({ account }) => Effect.all([prune(account), recover(account)], { concurrency: "unbounded" }),
        { concurrency: "unbounded" }
      )
      const orphans = yield* sql`
        select d.id
        from outdial_deliveries as d
        where not exists (select 1 from outdial_events as e where e.account_id = d.account_id and e.id = d.event_id)`
      assert.deepStrictEqual(orphans, [])
    }))

  it.effect("deletes deliveries to subscribers, including removed ones", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const { id: accountId, storage } = account
      const [stays, goes] = [{ accountId, name: "stays" }, { accountId, name: "goes" }]
      for (const key of [stays, goes]) {
        yield* storage.subscriptions.put({ ...key, events: ["call.completed"], now: before })
      }
      yield* endCall(account)
      const token = Factories.token()
      const claimed = yield* storage.subscriptions.claim({ ...goes, now, token })
      const results = claimed.map(({ id }) => ({ deliveryId: id, result: { _tag: "Delivered" } as const }))
      yield* storage.deliveries.settle({ accountId, subscriber: goes.name, now, token, results })
      yield* storage.subscriptions.delete(goes)
      assert.deepStrictEqual(yield* kept(account), { events: 1, deliveries: 2 })
      yield* prune(account)
      assert.deepStrictEqual(yield* kept(account), { events: 0, deliveries: 0 })
    }))

  it.effect("deletes a delivery without an event at its own age, and until then it blocks no other", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { account, ids } = yield* withOldEvents(5)
      yield* recover(account)
      // One claim reads five.
      yield* sql`delete from outdial_events where account_id = ${account.id}`
      const fresh = yield* endCall(account)
      assert.lengthOf(ids, 5)
      assert.deepStrictEqual(yield* claim(account), [fresh])
      yield* prune(account)
      assert.deepStrictEqual(yield* kept(account), { events: 0, deliveries: 0 })
    }))
})
