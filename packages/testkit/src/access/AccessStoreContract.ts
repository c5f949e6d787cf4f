/** API keys and rate limits. */
import { assert } from "@effect/vitest"
import { ApiKey, Ids, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

const addKey = Effect.fnUntraced(function*({ accountId, storage }: Fixture.Fixture, more: Partial<ApiKey.ApiKey> = {}) {
  const key: ApiKey.ApiKey = {
    id: Ids.ApiKeyId.make(Factories.callId().replace("call_", "key_")),
    accountId,
    name: "limited",
    hash: Factories.callId(),
    scopes: ["calls:read"],
    createdAt: Factories.start,
    ...more
  }
  yield* storage.access.addApiKey(key)
  return key
})

const use = ({ storage }: Fixture.Fixture, hash: string, seconds: number, limit = 5) =>
  storage.access.admit({ hash, now: Factories.at(seconds), limit })

const verdict = (found: Option.Option<Storage.KeyUse>) => Option.getOrThrow(Option.getOrThrow(found).verdict)

const apiKey = (accountId: Ids.AccountId, name: string): ApiKey.ApiKey => ({
  id: Ids.ApiKeyId.make(Factories.callId().replace("call_", "key_")),
  accountId,
  name,
  hash: Factories.callId(),
  scopes: ["calls:read", "calls:write"],
  createdAt: Factories.start,
  expiresAt: Factories.at(3600)
})

export const cases: Cases = {
  "accepts as many requests as the limit in 60 seconds, and returns when the next is accepted": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { hash } = yield* addKey(fixture)
    const at = (seconds: number) => Effect.map(use(fixture, hash, seconds), verdict)
    assert.deepStrictEqual(yield* at(0.2), { allowed: true, remaining: 4, retryAfter: 0, reset: 60 })
    yield* at(10)
    yield* at(10.9)
    yield* at(30)
    assert.deepStrictEqual(yield* at(59.999), { allowed: true, remaining: 0, retryAfter: 0, reset: 1 })
    assert.deepStrictEqual(yield* at(59.999), { allowed: false, remaining: 0, retryAfter: 1, reset: 1 })
    assert.deepStrictEqual(yield* at(60), { allowed: true, remaining: 0, retryAfter: 0, reset: 10 })
    assert.deepStrictEqual(yield* at(60), { allowed: false, remaining: 0, retryAfter: 10, reset: 10 })
    assert.deepStrictEqual(yield* at(70), { allowed: true, remaining: 1, retryAfter: 0, reset: 20 })
  }),

  "resets a window after a minute without requests": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { hash } = yield* addKey(fixture)
    yield* Effect.forEach(Array.from({ length: 7 }), () => use(fixture, hash, 0))
    assert.deepStrictEqual(verdict(yield* use(fixture, hash, 1000)), {
      allowed: true,
      remaining: 4,
      retryAfter: 0,
      reset: 60
    })
  }),

  "never lets its window move backwards": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { hash } = yield* addKey(fixture)
    yield* Effect.forEach(Array.from({ length: 5 }), () => use(fixture, hash, 100))
    assert.isFalse(verdict(yield* use(fixture, hash, 0)).allowed)
    assert.isFalse(verdict(yield* use(fixture, hash, 159)).allowed)
    assert.isTrue(verdict(yield* use(fixture, hash, 160)).allowed)
  }),

  "is exact when 8 clients use a key at once": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { hash } = yield* addKey(fixture)
    const client = Effect.forEach(Array.from({ length: 10 }), () => use(fixture, hash, 0, 30))
    const clients = yield* Effect.all(Array.from({ length: 8 }, () => client), { concurrency: "unbounded" })
    assert.strictEqual(clients.flat().filter((found) => verdict(found).allowed).length, 30)
  }),

  "counts concurrent keys each in its own window, and returns the remaining requests to each": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const keys = [yield* addKey(fixture), yield* addKey(yield* Fixture.make())]
      const revoked = yield* addKey(fixture, { revokedAt: Factories.start })
      const hashes = [...keys, revoked].map(({ hash }) => hash)
      const uses = yield* Effect.forEach(
        Array.from({ length: 8 }).flatMap(() => [...hashes, "no such hash"]),
        (hash) => Effect.map(use(fixture, hash, 0), (found) => ({ hash, found })),
        { concurrency: "unbounded" }
      )
      const verdicts = keys.map(({ hash }) =>
        uses.filter((use) => use.hash === hash).map(({ found }) => verdict(found))
      )
      for (const concurrent of verdicts) {
        const left = concurrent.flatMap(({ allowed, remaining }) => allowed ? [remaining] : [])
        assert.deepStrictEqual(left.toSorted((a, b) => a - b), [0, 1, 2, 3, 4])
      }
      const found = (hash: string) => uses.filter((use) => use.hash === hash).map(({ found }) => found)
      assert.isTrue(found("no such hash").every(Option.isNone))
      assert.isTrue(found(revoked.hash).every((use) => Option.isNone(Option.getOrThrow(use).verdict)))
    }
  ),

  "keeps the windows of keys apart": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [one, other] = [yield* addKey(fixture), yield* addKey(fixture)]
    yield* Effect.forEach(Array.from({ length: 5 }), () => use(fixture, one.hash, 0))
    assert.isFalse(verdict(yield* use(fixture, one.hash, 0)).allowed)
    assert.isTrue(verdict(yield* use(fixture, other.hash, 0)).allowed)
  }),

  "counts nothing for a key that is unknown, expired or revoked": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    assert.deepStrictEqual(yield* use(fixture, "no such hash", 0), Option.none())
    const expired = yield* addKey(fixture, { expiresAt: Factories.at(10) })
    assert.isTrue(Option.isSome(Option.getOrThrow(yield* use(fixture, expired.hash, 9.999)).verdict))
    assert.deepStrictEqual(Option.getOrThrow(yield* use(fixture, expired.hash, 10)).verdict, Option.none())
    const revoked = yield* addKey(fixture)
    yield* fixture.storage.access.revokeApiKey({ accountId: fixture.accountId, id: revoked.id, now: Factories.at(5) })
    assert.deepStrictEqual(Option.getOrThrow(yield* use(fixture, revoked.hash, 6)).verdict, Option.none())
  }),

  "tells which of many keys can be used, and counts no request": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { storage } = fixture
    const usable = yield* addKey(fixture)
    const expiring = yield* addKey(fixture, { expiresAt: Factories.at(10) })
    const revoked = yield* addKey(fixture)
    yield* storage.access.revokeApiKey({ accountId: fixture.accountId, id: revoked.id, now: Factories.at(5) })
    const other = yield* Fixture.make()
    const foreign = yield* addKey(other)
    const keys = [
      ...[usable, expiring, revoked].map(({ accountId, id }) => ({ accountId, id })),
      { accountId: other.accountId, id: foreign.id },
      { accountId: fixture.accountId, id: foreign.id },
      { accountId: fixture.accountId, id: Ids.ApiKeyId.make("key_unknown") }
    ]
    const at = (seconds: number) => storage.access.usableApiKeys({ keys, now: Factories.at(seconds) })
    assert.deepStrictEqual(yield* at(9.999), new Set([usable.id, expiring.id, foreign.id]))
    assert.deepStrictEqual(yield* at(10), new Set([usable.id, foreign.id]))
    assert.deepStrictEqual(
      yield* storage.access.usableApiKeys({ keys: keys.slice(4), now: Factories.at(9) }),
      new Set()
    )
    assert.deepStrictEqual(yield* storage.access.usableApiKeys({ keys: [], now: Factories.at(9) }), new Set())
    assert.strictEqual(verdict(yield* use(fixture, usable.hash, 10)).remaining, 4)
  }),

  "records when a key was last used, to the minute": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const key = yield* addKey(fixture)
    yield* use(fixture, key.hash, 90)
    yield* use(fixture, key.hash, 100)
    const [listed] = yield* fixture.storage.access.listApiKeys(fixture.accountId)
    assert.deepStrictEqual(listed, { ...key, lastUsedAt: DateTime.startOf(Factories.at(90), "minute") })
  }),

  "keeps other windows by name, an account's own": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const other = yield* Fixture.make()
    const take = ({ accountId, storage }: Fixture.Fixture, name: string) =>
      Effect.map(
        storage.access.takeFromWindow({ accountId, name, now: Factories.start, limit: 2 }),
        ({ allowed }) => allowed
      )
    assert.deepStrictEqual(yield* Effect.all(["a", "a", "a", "b"].map((name) => take(fixture, name))), [
      true,
      true,
      false,
      true
    ])
    assert.isTrue(yield* take(other, "a"))
  }),

  "is exact when 8 clients take from a window by its name at once": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const name = `principal:${"0f".repeat(32)}`
    const client = Effect.forEach(
      Array.from({ length: 10 }),
      () => storage.access.takeFromWindow({ accountId, name, now: Factories.start, limit: 30 })
    )
    const verdicts = yield* Effect.all(Array.from({ length: 8 }, () => client), { concurrency: "unbounded" })
    const left = verdicts.flat().flatMap(({ allowed, remaining }) => allowed ? [remaining] : [])
    assert.deepStrictEqual(left.toSorted((a, b) => a - b), Array.from({ length: 30 }, (_, index) => index))
  }),

  "finds a key by its hash, and no other": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const key = apiKey(accountId, "first")
    yield* storage.access.addApiKey(key)
    const use = (hash: string) =>
      Effect.map(storage.access.admit({ hash, now: Factories.start, limit: 9 }), Option.map((used) => used.key.id))
    assert.deepStrictEqual(yield* use(key.hash), Option.some(key.id))
    assert.deepStrictEqual(yield* use(`${key.hash}x`), Option.none())
  }),

  "keeps the instant of the first revocation, and refuses to revoke another account's key": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const other = yield* Fixture.make()
    const key = apiKey(accountId, "to be revoked")
    yield* storage.access.addApiKey(key)
    assert.isFalse(yield* storage.access.revokeApiKey({ accountId: other.accountId, id: key.id, now: Factories.at(5) }))
    assert.isTrue(yield* storage.access.revokeApiKey({ accountId, id: key.id, now: Factories.at(10) }))
    assert.isTrue(yield* storage.access.revokeApiKey({ accountId, id: key.id, now: Factories.at(20) }))
    assert.deepStrictEqual(yield* storage.access.listApiKeys(accountId), [{ ...key, revokedAt: Factories.at(10) }])
  })
}
