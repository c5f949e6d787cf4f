/** Accounts, and the pause switch of the deployment. */
import { assert } from "@effect/vitest"
import { Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

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

  "leaves an existing account unchanged if asked to, also with concurrent puts": Effect.gen(
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
      const put = (lines: number) => storage.accounts.put({ ...account, lines }, { ifExists: "keep" })
      const all = yield* Effect.forEach([1, 2, 3, 4], put, { concurrency: "unbounded" })
      assert.deepStrictEqual(all.map(({ lines }) => lines), all.map(() => all[0]?.lines))
      yield* storage.accounts.update(account.id, { paused: true, lines: 9 })
      const { lines, paused } = yield* put(5)
      assert.deepStrictEqual([lines, paused], [9, true])
      const kept = Option.getOrThrow(yield* storage.accounts.get(account.id))
      assert.deepStrictEqual([kept.lines, kept.paused], [9, true])
    }
  ),

  "changes only the given fields, also with concurrent writes, and raises the epoch": Effect.gen(
    function*() {
      const { accountId, storage } = yield* Fixture.make({ lines: 5 })
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
  })
}
