/** Sealed secrets, for operators who rotate the key. */
import { assert } from "@effect/vitest"
import type { Ids } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

/** An account whose endpoint has a secret under `key`, and a previous one under `previousKey`. */
const endpoint = Effect.fnUntraced(function*(key: string, previousKey = key) {
  const fixture = yield* Fixture.make()
  yield* Fixture.setWebhook(fixture, { secret: Factories.sealed("before", previousKey) })
  yield* fixture.storage.webhooks.rotateSecret({
    accountId: fixture.accountId,
    secret: Factories.sealed("now", key),
    now: Factories.start,
    graceUntil: Factories.at(3600)
  })
  return fixture
})

/** The accounts with secrets under other keys, starting after `after`; other tests share the storage. */
const notUnder = (
  { storage }: Fixture.Fixture,
  keyIds: ReadonlyArray<string>,
  options: { readonly after?: Ids.AccountId; readonly limit?: number } = {}
) =>
  Effect.map(
    storage.secrets.listWebhooksNotUnder({
      keyIds,
      after: Option.fromUndefinedOr(options.after),
      limit: options.limit ?? 1000
    }),
    (endpoints) => endpoints.map(({ accountId }) => accountId)
  )

const kept = ({ accountId, storage }: Fixture.Fixture) => Effect.map(storage.webhooks.get(accountId), Option.getOrThrow)

export const cases: Cases = {
  "finds the endpoints with a secret under another key, also an earlier secret": Effect.gen(function*() {
    const both = yield* endpoint("key_a")
    const earlier = yield* endpoint("key_b", "key_a")
    const neither = yield* endpoint("key_b")
    const found = yield* notUnder(both, ["key_b", "key_1"])
    assert.includeMembers(found, [both.accountId, earlier.accountId])
    assert.notInclude(found, neither.accountId)
    const known = yield* notUnder(both, ["key_b", "key_1", "key_a"])
    for (const { accountId } of [both, earlier, neither]) assert.notInclude(known, accountId)
  }),

  "lists them in sets, by account id": Effect.gen(function*() {
    const first = yield* endpoint("key_c")
    const second = yield* endpoint("key_c")
    const third = yield* endpoint("key_c")
    const known = ["key_a", "key_b", "key_1"]
    assert.deepStrictEqual(yield* notUnder(first, known, { after: first.accountId, limit: 1 }), [second.accountId])
    assert.deepStrictEqual(yield* notUnder(first, known, { after: first.accountId }), [
      second.accountId,
      third.accountId
    ])
  }),

  "rewrites secrets and nothing else": Effect.gen(function*() {
    const fixture = yield* endpoint("key_a")
    const from = yield* kept(fixture)
    const secret = Factories.sealed("now, anew", "key_b")
    const previousSecrets = from.previousSecrets.map(({ expiresAt }) => ({
      secret: Factories.sealed("before, anew", "key_b"),
      expiresAt
    }))
    assert.isTrue(yield* fixture.storage.secrets.replaceWebhookSecrets({ from, secret, previousSecrets }))
    assert.deepStrictEqual(yield* kept(fixture), { ...from, secret, previousSecrets })
  }),

  "keeps what a concurrent rotation has written": Effect.gen(function*() {
    const fixture = yield* endpoint("key_a")
    const from = yield* kept(fixture)
    yield* fixture.storage.webhooks.rotateSecret({
      accountId: fixture.accountId,
      secret: Factories.sealed("meanwhile", "key_a"),
      now: Factories.at(1),
      graceUntil: Factories.at(3600)
    })
    const rotated = yield* kept(fixture)
    const stale = { from, secret: Factories.sealed("stale", "key_b"), previousSecrets: [] }
    assert.isFalse(yield* fixture.storage.secrets.replaceWebhookSecrets(stale))
    assert.deepStrictEqual(yield* kept(fixture), rotated)
    yield* fixture.storage.webhooks.delete(fixture.accountId)
    assert.isFalse(yield* fixture.storage.secrets.replaceWebhookSecrets(stale))
  }),

  "keeps the first key of an account, lists keys sealed under another key, and replaces an unchanged one": Effect.gen(
    function*() {
      const { accountId, storage } = yield* Fixture.make()
      const [first, second, third] = ["1", "2", "3"].map((n) =>
        Factories.sealed(`${accountId} ${n}`, `key_${accountId}`)
      )
      if (first === undefined || second === undefined || third === undefined) throw new Error("Three were made")
      assert.deepStrictEqual(yield* storage.secrets.keepErasureKey({ accountId, key: first }), first)
      assert.deepStrictEqual(yield* storage.secrets.keepErasureKey({ accountId, key: second }), first)
      const account = Option.getOrThrow(yield* storage.accounts.get(accountId))
      assert.deepStrictEqual(account.erasureKey, first)
      const others = (keyId: string) =>
        Effect.map(
          storage.secrets.listErasureKeysNotUnder({ keyIds: [keyId], after: Option.none(), limit: 10_000 }),
          (keys) => keys.filter((sealed) => sealed.accountId === accountId)
        )
      assert.deepStrictEqual(yield* others("another"), [{ accountId, key: first }])
      assert.deepStrictEqual(yield* others(`key_${accountId}`), [])
      assert.isFalse(yield* storage.secrets.replaceErasureKey({ accountId, key: second, by: third }))
      assert.isTrue(yield* storage.secrets.replaceErasureKey({ accountId, key: first, by: third }))
      assert.deepStrictEqual(Option.getOrThrow(yield* storage.accounts.get(accountId)).erasureKey, third)
    }
  )
}
