import { assert, it } from "@effect/vitest"
import { Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { openTransaction, untilBlocked } from "../support/Concurrency.ts"

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

// One test at a time: it reads which statements of the whole database are blocked.
it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Storage under concurrency", (it) => {
  it.effect("submits nothing once a concurrent pause has committed", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      yield* account.start()
      const token = Factories.token()
      const { claimed } = yield* account.claim(token)
      const commitPause = yield* openTransaction(account.pause)
      const submitting = yield* Effect.forkChild(account.submit(token, claimed.map(({ call }) => call.id)))
      yield* untilBlocked
      yield* commitPause
      assert.deepStrictEqual(yield* Fiber.join(submitting), new Set())
    }))

  it.effect("submits nothing once a concurrent pause of the deployment has committed", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      yield* account.start()
      const token = Factories.token()
      const { claimed } = yield* account.claim(token)
      const commitPause = yield* openTransaction(account.storage.accounts.updateDeployment({ paused: true }))
      const submitting = yield* Effect.forkChild(account.submit(token, claimed.map(({ call }) => call.id)))
      yield* untilBlocked
      yield* commitPause
      assert.deepStrictEqual(yield* Fiber.join(submitting), new Set())
      yield* account.storage.accounts.updateDeployment({ paused: false })
    }))

  it.effect("lets a pause return only after an earlier submission is done", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      yield* account.start()
      const token = Factories.token()
      const { claimed } = yield* account.claim(token)
      const commitSubmission = yield* openTransaction(account.submit(token, claimed.map(({ call }) => call.id)))
      const pausing = yield* Effect.forkChild(account.pause)
      yield* untilBlocked
      assert.strictEqual((yield* commitSubmission).size, 1)
      assert.isTrue((yield* Fiber.join(pausing)).paused)
    }))

  it.effect("claims while another claim's calls are being submitted", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      yield* account.start()
      yield* account.start()
      const token = Factories.token()
      const { claimed } = yield* account.claim(token, 1)
      const commitSubmission = yield* openTransaction(account.submit(token, claimed.map(({ call }) => call.id)))
      assert.strictEqual((yield* account.claim(Factories.token())).claimed.length, 1)
      yield* commitSubmission
    }))

  it.effect("ends a call whose number is queued again while it is returned", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const phoneNumber = Factories.phoneNumber()
      const id = Factories.callId()
      yield* account.start({ id, phoneNumber })
      const token = Factories.token()
      yield* account.claim(token)
      const commitStart = yield* openTransaction(account.start({ phoneNumber }))
      const returning = yield* Effect.forkChild(account.storage.dispatch.returnToQueue({
        accountId: account.id,
        callIds: [id],
        token,
        now: Factories.start,
        reason: "not_submitted",
        events: account.events
      }))
      yield* untilBlocked
      yield* commitStart
      yield* Fiber.join(returning)
      const call = Option.getOrThrow(yield* account.storage.calls.get(account.id, id))
      assert.strictEqual(call.statusCode, "superseded")
    }))

  it.effect("starts one of many calls to a number, and one of many with a key", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const phoneNumber = Factories.phoneNumber()
      const many = { concurrency: "unbounded" } as const
      const times = Array.from({ length: 20 })
      const toNumber = yield* Effect.forEach(times, () => account.start({ phoneNumber }), many)
      const withKey = yield* Effect.forEach(times, () => account.start({}, "key"), many)
      assert.strictEqual(toNumber.filter(({ _tag }) => _tag === "Started").length, 1)
      assert.strictEqual(toNumber.filter(({ _tag }) => _tag === "Refused").length, 19)
      assert.strictEqual(withKey.filter(({ _tag }) => _tag === "Started").length, 1)
      assert.strictEqual(withKey.filter(({ _tag }) => _tag === "Replayed").length, 19)
    }))

  it.effect("lets exactly one of a concurrent claim and cancellation have the call", () =>
    Effect.gen(function*() {
      const account = yield* Account.make(50)
      const ids = Array.from({ length: 50 }, () => Factories.callId())
      yield* Effect.forEach(ids, (id) => account.start({ id }))
      const [claims, cancels] = yield* Effect.all([
        Effect.forEach(ids, () => account.claim(Factories.token(), 1)),
        Effect.forEach(ids.toReversed(), (id) => account.cancel(id))
      ], { concurrency: "unbounded" })
      const claimed = claims.flatMap((claim) => claim.claimed.map(({ call }) => call.id))
      const canceled = cancels.flatMap((result) => result._tag === "Canceled" ? [result.call.id] : [])
      assert.sameMembers([...claimed, ...canceled], ids)
    }))

  it.effect("does not cancel a claimed call", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const id = Factories.callId()
      yield* account.start({ id })
      const commitClaim = yield* openTransaction(account.claim(Factories.token()))
      const canceling = yield* Effect.forkChild(account.cancel(id))
      yield* untilBlocked
      yield* commitClaim
      const result = yield* Fiber.join(canceling)
      assert.strictEqual(result._tag === "NotCancelable" && result.call.status, "dialing")
    }))

  it.effect("does not claim a call that is being canceled", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const id = Factories.callId()
      yield* account.start({ id })
      const commitCancel = yield* openTransaction(account.cancel(id))
      assert.deepStrictEqual((yield* account.claim(Factories.token())).claimed, [])
      assert.strictEqual((yield* commitCancel)._tag, "Canceled")
    }))

  it.effect("holds no connection for requests whose key is in flight", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const commit = yield* openTransaction(account.start({}, "key"))
      // More than the pool has connections.
      const twins = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 30 }, () => account.start({}, "key")), { concurrency: "unbounded" })
      )
      yield* Effect.forEach(Array.from({ length: 50 }), () => account.start())
      yield* commit
      const results = yield* Fiber.join(twins)
      assert.deepStrictEqual(new Set(results.map(({ _tag }) => _tag)), new Set(["Replayed"]))
    }))

  it.effect("drops the deliveries that were being written when the endpoint was deleted", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* setWebhook(account)
      yield* account.start()
      const commitClaim = yield* openTransaction(account.claim(Factories.token()))
      const deleting = yield* Effect.forkChild(account.storage.webhooks.delete(account.id))
      yield* untilBlocked
      yield* commitClaim
      yield* Fiber.join(deleting)
      assert.deepStrictEqual(yield* sql`select state from outdial_deliveries where account_id = ${account.id}`, [
        { state: "dropped" }
      ])
    }))

  it.effect("fails as unavailable when the connection is lost in the middle", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const phoneNumber = Factories.phoneNumber()
      const rollBack = yield* openTransaction(account.start({ phoneNumber }))
      const starting = yield* Effect.forkChild(Effect.flip(account.start({ phoneNumber })))
      yield* untilBlocked
      yield* sql`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      const error = yield* Fiber.join(starting)
      assert.instanceOf(error, Storage.StorageError)
      assert.strictEqual(error.reason, "unavailable")
      yield* rollBack
    }))
})

const setWebhook = (account: Effect.Success<ReturnType<typeof Account.make>>) =>
  account.storage.webhooks.set({
    accountId: account.id,
    url: "https://example.com/hook",
    enabled: true,
    events: ["call.dialing"],
    secret: Factories.sealed("test"),
    previousSecrets: [],
    createdAt: Factories.start,
    updatedAt: Factories.start
  })
