import { assert, it } from "@effect/vitest"
import { Erasure, Ids, Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { DateTime, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { openTransaction } from "../support/Concurrency.ts"

type TestAccount = Effect.Success<ReturnType<typeof Account.make>>

/** What a store does inside the host's transaction, and how to check that it was done. */
interface Step {
  /** Done and committed before. */
  readonly prepare?: Effect.Effect<unknown, unknown>
  readonly write: Effect.Effect<unknown, unknown>
  readonly read: Effect.Effect<unknown, unknown>
}

const now = Factories.start
const ended = { _tag: "Ended", at: now, result: "busy", transcript: [], recorded: false } as const
const page = { limit: 10, after: Option.none() }

/** A write through each store that has writes. */
const steps: Readonly<
  Record<Exclude<keyof typeof Storage.stores, "overviews" | "stats" | "work">, (account: TestAccount) => Step>
> = {
  accounts: ({ id, storage: { accounts } }) => ({
    write: accounts.update(id, { name: "Other" }),
    read: accounts.get(id)
  }),
  agents: ({ id, storage: { agents } }) => ({
    write: agents.put({ accountId: id, agent: Factories.agentDefinition(), now }),
    read: agents.list(id)
  }),
  access: ({ id, storage: { access } }) => ({
    write: access.addApiKey({
      id: Ids.ApiKeyId.make(id.replace("acct_", "key_")),
      accountId: id,
      name: "Key",
      hash: id,
      scopes: ["calls:read"],
      createdAt: now
    }),
    read: access.listApiKeys(id)
  }),
  doNotCall: ({ events, id, storage: { doNotCall } }) => ({
    write: doNotCall.add({
      accountId: id,
      entries: [{ phoneNumber: Factories.phoneNumber(), source: "api", createdAt: now }],
      now,
      events
    }),
    read: doNotCall.list({ accountId: id, page })
  }),
  calls: ({ id, start, storage: { calls } }) => ({
    write: start(),
    read: calls.list({ accountId: id, filter: {}, page })
  }),
  dispatch: ({ claim, id, start, storage: { calls } }) => ({
    prepare: start(),
    write: claim(Factories.token()),
    read: calls.list({ accountId: id, filter: {}, page })
  }),
  carriers: ({ storage: { carriers } }) => {
    const slots = { carrier: Factories.carrierName(), callsPerSecond: 1, now }
    return {
      write: carriers.takeSlots(slots),
      // Slots that are taken now would hold back another that is taken right after them.
      read: Effect.tap(
        carriers.takeSlots(slots),
        ({ taken }) => carriers.returnSlots({ carrier: slots.carrier, takenAt: now, unused: taken })
      )
    }
  },
  conversations: ({ claim, id, start, storage: { calls, conversations, dispatch } }) => {
    const callId = Factories.callId()
    const token = Factories.token()
    return {
      prepare: Effect.gen(function*() {
        yield* start({ id: callId })
        yield* claim(token)
        yield* dispatch.submit({ accountId: id, callIds: [callId], token, now })
      }),
      write: conversations.acquire({ accountId: id, callId, now, takesOver: false }),
      read: calls.list({ accountId: id, filter: {}, page })
    }
  },
  outcomes: ({ claim, events, id, start, storage: { dispatch, outcomes, work } }) => ({
    prepare: Effect.gen(function*() {
      const token = Factories.token()
      yield* start()
      const callIds = (yield* claim(token)).claimed.map(({ call }) => call.id)
      yield* dispatch.submit({ accountId: id, callIds, token, now })
      const talked = { ...ended, result: "hung_up", answeredAt: now, answeredBy: "human" } as const
      const transcript = Factories.outcome.transcript
      yield* dispatch.report({
        accountId: id,
        now,
        reports: callIds.map((callId) => ({ callId, event: { ...talked, transcript } })),
        events
      })
    }),
    write: outcomes.claim({ accountId: id, now, limit: 10, token: Factories.token() }),
    read: Effect.map(work.accountsDue({ kind: "outcome", now, limit: 10_000 }), (ids) => ids.includes(id))
  }),
  events: ({ id, setWebhook, start, storage: { events } }) => ({
    prepare: Effect.andThen(setWebhook, start({ test: true, status: "no_answer", endedAt: now })),
    write: events.prune({ accountId: id, before: now, limit: 10 }),
    read: events.list({ accountId: id, filter: {}, page })
  }),
  webhooks: ({ id, setWebhook, storage: { webhooks } }) => ({ write: setWebhook, read: webhooks.get(id) }),
  deliveries: ({ id, setWebhook, start, storage: { deliveries } }) => ({
    prepare: Effect.andThen(setWebhook, start({ test: true, status: "no_answer", endedAt: now })),
    write: deliveries.claim({ accountId: id, now, limit: 10, token: Factories.token() }),
    read: deliveries.list({ accountId: id, filter: {}, page })
  }),
  subscriptions: ({ id, start, storage: { subscriptions } }) => {
    const key = { accountId: id, name: "visits" }
    return {
      prepare: Effect.andThen(
        subscriptions.put({ ...key, events: ["call.not_connected"], now }),
        start({ test: true, status: "no_answer", endedAt: now })
      ),
      write: subscriptions.claim({ ...key, now, token: Factories.token() }),
      read: subscriptions.due([key])
    }
  },
  privacy: ({ events, id, start, storage: { calls, privacy } }) => {
    const phoneNumber = Factories.phoneNumber()
    const callee = { accountId: id, phoneNumber, alias: Factories.aliasOf(phoneNumber) }
    return {
      prepare: start({ phoneNumber }),
      write: privacy.beginErasure({ ...callee, now, events, eraser: Erasure.erasedBody }),
      read: calls.list({ accountId: id, filter: {}, page })
    }
  },
  secrets: ({ id, storage: { accounts, secrets } }) => ({
    write: secrets.keepErasureKey({ accountId: id, key: Factories.sealed("key") }),
    read: accounts.get(id)
  }),
  usage: ({ claim, events, id, start, storage: { dispatch, usage } }) => ({
    prepare: Effect.gen(function*() {
      const token = Factories.token()
      yield* start()
      const callIds = (yield* claim(token)).claimed.map(({ call }) => call.id)
      yield* dispatch.submit({ accountId: id, callIds, token, now })
      yield* dispatch.report({
        accountId: id,
        now,
        reports: callIds.map((callId) => ({ callId, event: ended })),
        events
      })
    }),
    write: usage.fold({
      accountId: id,
      day: { day: "2026-03-02", from: DateTime.subtract(now, { hours: 10 }), until: DateTime.add(now, { hours: 14 }) }
    }),
    read: usage.oldestUnfolded(id)
  }),
  workers: ({ id, storage: { workers } }) => {
    const worker = { id: Ids.WorkerId.make(id.replace("acct_", "wrk_")), version: "1.0.0", runs: [] }
    return {
      write: workers.put({ ...worker, startedAt: now, seenAt: now }),
      read: Effect.map(
        workers.list(DateTime.subtract(now, { hours: 1 })),
        (all) => all.filter((one) => one.id === worker.id)
      )
    }
  },
  console: ({ id, storage: { console } }) => ({
    write: console.addAuditEntry({
      id: Factories.auditEntryId(),
      createdAt: now,
      actor: "Grace",
      role: "admin",
      accountId: id,
      action: "calls.cancel",
      details: {}
    }),
    read: console.listAuditEntries({ accountId: id }, page)
  }),
  clock: ({ id, start, storage: { calls, clock } }) => ({
    prepare: start({ createdAt: DateTime.add(now, { hours: 5 }), dueAt: DateTime.add(now, { hours: 5 }) }),
    write: clock.setBack({ accountId: id, now }),
    read: calls.list({ accountId: id, filter: {}, page })
  })
}

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Storage inside a host's transaction", (it) => {
  const hostTable = (name: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create table ${sql(name)} (call_id text)`)

  it.effect("starts a call if and only if the host commits", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* hostTable("host_orders")
      const kept = Factories.callId()
      const lost = Factories.callId()
      const order = (id: typeof kept) =>
        Effect.andThen(sql`insert into host_orders values (${id})`, account.start({ id }, `key of ${id}`))

      yield* sql.withTransaction(order(kept))
      yield* sql.withTransaction(Effect.andThen(order(lost), Effect.fail("host failed"))).pipe(Effect.ignore)

      assert.isTrue(yield* account.exists(kept))
      assert.isFalse(yield* account.exists(lost))
      assert.deepStrictEqual(yield* sql`select call_id from host_orders`, [{ call_id: kept }])
      assert.strictEqual((yield* account.start({ id: lost }, `key of ${lost}`))._tag, "Started")
    }))

  it.effect("stores nothing of a refused call, and keeps the host's writes", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* hostTable("host_refusals")
      const phoneNumber = Factories.phoneNumber()
      yield* account.start({ phoneNumber })
      const result = yield* sql.withTransaction(
        Effect.andThen(sql`insert into host_refusals values ('kept')`, account.start({ phoneNumber }, "key"))
      )
      assert.strictEqual(result._tag, "Refused")
      assert.deepStrictEqual(yield* sql`select call_id from host_refusals`, [{ call_id: "kept" }])
      assert.strictEqual((yield* account.start({}, "key"))._tag, "Started")
    }))

  it.effect("frees the key of a refused call before the host commits", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const phoneNumber = Factories.phoneNumber()
      yield* account.start({ phoneNumber })
      const commit = yield* openTransaction(account.start({ phoneNumber }, "key"))
      assert.strictEqual((yield* account.start({}, "key"))._tag, "Started")
      assert.strictEqual((yield* commit)._tag, "Refused")
    }))

  it.effect("restores the host's lock timeout, whatever the result of the call", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const timeouts = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local lock_timeout = '1234ms'`
        const timeout = Effect.map(sql`show lock_timeout`, ([row]) => row)
        yield* account.start({}, "key")
        const started = yield* timeout
        yield* account.start({}, "key")
        return [started, yield* timeout]
      }))
      assert.deepStrictEqual(timeouts, [{ lock_timeout: "1234ms" }, { lock_timeout: "1234ms" }])
    }))

  it.effect("answers KeyInUse until the host that uses the key commits", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const started = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<void>()
      const host = yield* Effect.forkChild(sql.withTransaction(
        account.start({}, "key").pipe(
          Effect.tap(() => Deferred.succeed(started, undefined)),
          Effect.tap(() => Deferred.await(answered))
        )
      ))
      yield* Deferred.await(started)
      assert.strictEqual((yield* account.start({}, "key"))._tag, "KeyInUse")
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(host)
      assert.strictEqual((yield* account.start({}, "key"))._tag, "Replayed")
    }), 120_000)

  it.effect("blocks neither claims nor pauses until the host commits", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* account.start()
      const started = yield* Deferred.make<void>()
      const host = yield* Effect.forkChild(sql.withTransaction(
        account.start().pipe(Effect.tap(() => Deferred.succeed(started, undefined)), Effect.andThen(Effect.never))
      ))
      yield* Deferred.await(started)
      assert.strictEqual((yield* account.claim(Factories.token())).claimed.length, 1)
      assert.isTrue((yield* account.pause).paused)
      yield* Fiber.interrupt(host)
    }))

  for (const [store, step] of Object.entries(steps)) {
    it.effect(`keeps what the store of ${store} writes if and only if the host commits`, () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { prepare = Effect.void, read, write } = step(yield* Account.make())
        yield* prepare
        const before = yield* read
        yield* sql.withTransaction(Effect.andThen(write, Effect.fail("host failed"))).pipe(Effect.ignore)
        assert.deepStrictEqual(yield* read, before)
        yield* sql.withTransaction(write)
        assert.notDeepEqual(yield* read, before)
      }))
  }
})
