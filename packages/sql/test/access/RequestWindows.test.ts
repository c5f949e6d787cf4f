import { assert, it } from "@effect/vitest"
import { type ApiKey, Ids, RequestWindow } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Fiber, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Pglite from "../../../../test/support/pglite.ts"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { anotherNode, openTransaction } from "../support/Concurrency.ts"
import { int, samples } from "../support/Samples.ts"

const makeKey = Effect.gen(function*() {
  const { id: accountId, storage } = yield* Account.make()
  const key: ApiKey.ApiKey = {
    id: Ids.ApiKeyId.make(Factories.callId().replace("call_", "key_")),
    accountId,
    name: "key",
    hash: Factories.callId(),
    scopes: ["calls:read"],
    createdAt: Factories.start
  }
  yield* storage.access.addApiKey(key)
  return { key, storage }
})

/** Pseudo-random whole numbers below `bound`, the same in every run. */
const sequence = (seed: number) => {
  let state = seed
  return (bound: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(state / 65_536) % bound
  }
}

/** Steps of every size, in both directions, under limits that come and go. */
const agreement = Effect.gen(function*() {
  const { key, storage } = yield* makeKey
  const next = sequence(7)
  const start = Math.floor(Factories.start.epochMilliseconds / 1000)
  let second = start
  let window: RequestWindow.RequestWindow | undefined
  for (let step = 0; step < 500; step++) {
    const limit = [0, 1, 5, 20][next(4)] ?? 5
    second += [0, 0, 0, 1, 1, 7, 59, 60, 61, 200, -1, -30, -90][next(13)] ?? 0
    const expected = RequestWindow.take(window, { limit, second })
    window = expected.window
    const now = DateTime.makeUnsafe(second * 1000 + next(1000))
    const used = Option.getOrThrow(yield* storage.access.admit({ hash: key.hash, now, limit }))
    assert.deepStrictEqual([step, used.verdict], [step, Option.some(expected.verdict)])
  }
})

const Sample = Schema.Struct({
  secondsAgo: int(-70, 70),
  counts: Schema.Array(int(0, 3)).check(Schema.isMinLength(60), Schema.isMaxLength(60)),
  uses: int(1, 4)
})

/** Concurrent uses of many keys, each key with a random window. */
const togetherAgreement = Effect.gen(function*() {
  const { id: accountId, storage } = yield* Account.make()
  const sql = yield* SqlClient.SqlClient
  const [limit, second] = [90, Math.floor(Factories.start.epochMilliseconds / 1000)]
  const windows = (yield* samples(Sample, 40)).map(({ counts, secondsAgo, uses }) => ({
    accountId,
    name: "key",
    scopes: ["calls:read"] as const,
    createdAt: Factories.start,
    id: Ids.ApiKeyId.make(Factories.callId().replace("call_", "key_")),
    hash: Factories.callId(),
    window: { second: second - secondsAgo, counts },
    uses
  }))
  for (const { uses: _, window: __, ...key } of windows) yield* storage.access.addApiKey(key)
  yield* sql`
    insert into outdial_request_windows (account_id, name, second, counts, taken)
    select ${accountId}, r.name, r.second, r.counts, 0
    from json_to_recordset(${
    JSON.stringify(windows.map(({ id, window }) => ({ name: id, ...window })))
  }::json) as r (name text, second bigint, counts int[])`
  const found = yield* Effect.forEach(
    windows.flatMap(({ hash, uses }) => Array.from({ length: uses }, () => hash)),
    (hash) => storage.access.admit({ hash, now: Factories.start, limit }),
    { concurrency: "unbounded" }
  )
  const expected = windows.flatMap(({ uses, window }) => {
    let after: RequestWindow.RequestWindow = window
    return Array.from({ length: uses }, () => {
      const taken = RequestWindow.take(after, { limit, second })
      after = taken.window
      return { verdict: taken.verdict, window: after }
    })
  })
  assert.deepStrictEqual(
    found.map((use) => Option.getOrThrow(Option.getOrThrow(use).verdict)),
    expected.map(({ verdict }) => verdict)
  )
  const rows = yield* sql<{ readonly second: string; readonly counts: ReadonlyArray<number> }>`
    select w.second::text, w.counts
    from outdial_request_windows as w
    where w.account_id = ${accountId}
    order by w.name`
  const last = windows.map((_, index) => windows.slice(0, index + 1).reduce((sum, { uses }) => sum + uses, -1))
  assert.deepStrictEqual(
    rows.map(({ counts, second }) => ({ second: Number(second), counts })),
    last.map((index) => expected[index]?.window ?? assert.fail("Every key was used"))
  )
})

const parallelClients = Effect.gen(function*() {
  const { key, storage } = yield* makeKey
  // Each node counts its concurrent requests together.
  const nodes = [storage, yield* anotherNode]
  const uses = yield* Effect.forEach(
    Array.from({ length: 8 }, (_, client) => nodes[client % nodes.length] ?? storage),
    (node) =>
      Effect.replicateEffect(node.access.admit({ hash: key.hash, now: Factories.start, limit: 300 }), 100, {
        concurrency: 4
      }),
    { concurrency: "unbounded" }
  )
  const verdicts = uses.flat().map((found) => Option.getOrThrow(Option.getOrThrow(found).verdict))
  const allowed = verdicts.filter(({ allowed }) => allowed)
  assert.strictEqual(allowed.length, 300)
  assert.deepStrictEqual(
    allowed.map(({ remaining }) => remaining).sort((a, b) => a - b),
    Array.from({ length: 300 }, (_, index) => index)
  )
})

it.layer(Layer.provideMerge(SqlStorage.layer, Pglite.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "Request windows on PGlite",
  (it) => {
    it.effect("decide like the rule, whichever way clocks move", () => agreement)

    it.effect("decide on concurrent uses like the rule does one after the other", () => togetherAgreement)
  }
)

it.layer(Layer.provideMerge(SqlStorage.layer, Postgres.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "Request windows on Postgres",
  (it) => {
    it.effect("decide like the rule, whichever way clocks move", () => agreement)

    it.effect("admit exactly 300 of 800 concurrent requests of 8 clients on two nodes", () => parallelClients)

    it.effect("wait for no key that a host's transaction holds", () =>
      Effect.gen(function*() {
        const { key, storage } = yield* makeKey
        const { key: other } = yield* makeKey
        const { accountId, id } = key
        const commit = yield* openTransaction(storage.access.revokeApiKey({ accountId, id, now: Factories.start }))
        const uses = yield* Effect.forEach(
          [key, other],
          ({ hash }) => storage.access.admit({ hash, now: Factories.start, limit: 300 }),
          { concurrency: "unbounded" }
        )
        yield* commit
        const verdicts = uses.map((use) => Option.isSome(Option.getOrThrow(use).verdict))
        assert.deepStrictEqual(verdicts, [true, true])
        const after = yield* storage.access.admit({ hash: key.hash, now: Factories.start, limit: 300 })
        assert.isTrue(Option.isNone(Option.getOrThrow(after).verdict))
      }))

    it.effect("let only requests with its key wait for a window that a host's transaction holds", () =>
      Effect.gen(function*() {
        const { key, storage } = yield* makeKey
        const { key: other } = yield* makeKey
        const use = ({ hash }: ApiKey.ApiKey) => storage.access.admit({ hash, now: Factories.start, limit: 300 })
        const commit = yield* openTransaction(use(key))
        const [waiting, beside] = yield* Effect.forEach([key, other], (key) => Effect.forkChild(use(key)))
        if (waiting === undefined || beside === undefined) return assert.fail("Both were begun")
        assert.isTrue(Option.isSome(yield* Fiber.join(beside)))
        assert.isUndefined(waiting.pollUnsafe())
        yield* commit
        assert.isTrue(Option.isSome(yield* Fiber.join(waiting)))
      }))

    it.effect("write the key once a minute, however many requests use it", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { key, storage } = yield* makeKey
        const use = (seconds: number) =>
          storage.access.admit({ hash: key.hash, now: Factories.at(seconds), limit: 300 })
        // A row version has the transaction that wrote it, so that equal ones are one.
        const version = Effect.map(
          sql`select k.xmin::text from outdial_api_keys as k where k.id = ${key.id}`,
          ([row]) => row
        )
        yield* use(0)
        const first = yield* version
        yield* Effect.forEach([1, 2, 30, 59.999], use, { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* version, first)
        yield* use(60)
        assert.notDeepEqual(yield* version, first)
      }))
  }
)
