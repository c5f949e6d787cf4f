/** The chapter on what owners set: accounts, agents and keys. */
import { assert } from "@effect/vitest"
import { ApiKey, Ids, Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Setting from "../storage/Fixture.ts"

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
  "keeps an account as it was put, and raises its epoch with every write": Effect.gen(function*() {
    const storage = yield* Storage.Storage
    const account = {
      id: Factories.accountId(),
      name: "Clinic",
      lines: 3,
      paused: false,
      policy: { ...Factories.openPolicy, excludedDates: ["2026-12-25"], timeZone: "Europe/Paris" },
      createdAt: Factories.start
    }
    const first = yield* storage.accounts.put(account)
    assert.deepStrictEqual(first, { ...account, epoch: first.epoch, planVersion: first.planVersion })
    const second = yield* storage.accounts.put({ ...account, lines: 7, paused: true, createdAt: Factories.at(9) })
    const { epoch, planVersion } = second
    assert.deepStrictEqual(second, { ...account, lines: 7, paused: true, epoch, planVersion })
    assert.isAbove(epoch, first.epoch)
    assert.isAbove(planVersion, first.planVersion)
    assert.deepStrictEqual(yield* storage.accounts.get(account.id), Option.some(second))
    assert.isTrue((yield* storage.accounts.list).some(({ id }) => id === account.id))
  }),

  "leaves an account that is there as it is when it is asked to, whoever puts it at the same time": Effect.gen(
    function*() {
      const storage = yield* Storage.Storage
      const account = {
        id: Factories.accountId(),
        name: "A",
        lines: 3,
        paused: false,
        policy: {},
        createdAt: Factories.start
      }
      const put = (lines: number) => storage.accounts.put({ ...account, lines }, { unlessThere: true })
      const all = yield* Effect.forEach([1, 2, 3, 4], put, { concurrency: "unbounded" })
      assert.deepStrictEqual(all.map(({ lines }) => lines), all.map(() => all[0]?.lines))
      yield* storage.accounts.update(account.id, { paused: true, lines: 9 })
      const { lines, paused } = yield* put(5)
      assert.deepStrictEqual([lines, paused], [9, true])
      const kept = Option.getOrThrow(yield* storage.accounts.get(account.id))
      assert.deepStrictEqual([kept.lines, kept.paused], [9, true])
    }
  ),

  "changes only what it is told to, whoever else writes at the same time, and raises the epoch": Effect.gen(
    function*() {
      const { accountId, storage } = yield* Setting.make({ lines: 5 })
      const before = Option.getOrThrow(yield* storage.accounts.get(accountId))
      yield* Effect.all([
        storage.accounts.update(accountId, { lines: 9 }),
        storage.accounts.update(accountId, { paused: true }),
        storage.accounts.update(accountId, { name: "Renamed" })
      ], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        yield* storage.accounts.get(accountId),
        Option.some({ ...before, lines: 9, paused: true, name: "Renamed", epoch: before.epoch + 3 })
      )
      assert.deepStrictEqual(yield* storage.accounts.update(Factories.accountId(), { lines: 1 }), Option.none())
    }
  ),

  "knows no account that was never put": Effect.gen(function*() {
    const storage = yield* Storage.Storage
    assert.deepStrictEqual(yield* storage.accounts.get(Factories.accountId()), Option.none())
  }),

  "makes a new version of an agent only when something changed": Effect.gen(function*() {
    const { accountId, storage } = yield* Setting.make()
    const definition = Factories.agentDefinition({
      variables: [{ key: "topic", default: "your visit" }],
      language: "de"
    })
    const first = yield* storage.agents.put({ accountId, agent: definition, now: Factories.start })
    assert.deepStrictEqual(first, {
      ...definition,
      version: 1,
      createdAt: Factories.start,
      updatedAt: Factories.start
    })
    assert.deepStrictEqual(yield* storage.agents.put({ accountId, agent: definition, now: Factories.at(5) }), first)
    const changed = { ...definition, name: "Grace" }
    const second = yield* storage.agents.put({ accountId, agent: changed, now: Factories.at(9) })
    assert.deepStrictEqual(second, {
      ...changed,
      version: 2,
      createdAt: Factories.start,
      updatedAt: Factories.at(9)
    })
    assert.deepStrictEqual(yield* storage.agents.get(accountId, definition.id), Option.some(second))
  }),

  "lists an account's own agents, newest first": Effect.gen(function*() {
    const mine = yield* Setting.make()
    yield* Setting.make()
    const later = yield* mine.storage.agents.put({
      accountId: mine.accountId,
      agent: Factories.agentDefinition(),
      now: Factories.at(60)
    })
    const listed = yield* mine.storage.agents.list(mine.accountId)
    assert.deepStrictEqual(listed.map(({ id }) => id), [later.id, mine.agentId])
  }),

  "hides an agent from other accounts": Effect.gen(function*() {
    const mine = yield* Setting.make()
    const other = yield* Setting.make()
    assert.deepStrictEqual(yield* mine.storage.agents.get(other.accountId, mine.agentId), Option.none())
  }),

  "finds a key by its hash, and no other": Effect.gen(function*() {
    const { accountId, storage } = yield* Setting.make()
    const key = apiKey(accountId, "first")
    yield* storage.access.addApiKey(key)
    const use = (hash: string) =>
      Effect.map(storage.access.admit({ hash, now: Factories.start, limit: 9 }), Option.map((used) => used.key.id))
    assert.deepStrictEqual(yield* use(key.hash), Option.some(key.id))
    assert.deepStrictEqual(yield* use(`${key.hash}x`), Option.none())
  }),

  "keeps the instant of the first revocation, and refuses to revoke another account's key": Effect.gen(function*() {
    const { accountId, storage } = yield* Setting.make()
    const other = yield* Setting.make()
    const key = apiKey(accountId, "to be revoked")
    yield* storage.access.addApiKey(key)
    assert.isFalse(yield* storage.access.revokeApiKey({ accountId: other.accountId, id: key.id, now: Factories.at(5) }))
    assert.isTrue(yield* storage.access.revokeApiKey({ accountId, id: key.id, now: Factories.at(10) }))
    assert.isTrue(yield* storage.access.revokeApiKey({ accountId, id: key.id, now: Factories.at(20) }))
    assert.deepStrictEqual(yield* storage.access.listApiKeys(accountId), [{ ...key, revokedAt: Factories.at(10) }])
  })
}
