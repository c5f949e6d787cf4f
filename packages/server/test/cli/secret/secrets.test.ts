import { assert, describe, it } from "@effect/vitest"
import { Ids, SecretBox, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Layer, Option, Redacted } from "effect"
import * as StorageLayer from "../../../src/config/StorageLayer.ts"
import * as Postgres from "../../../../../test/support/postgres.ts"
import * as CommandLine from "../CommandLine.ts"

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")

const boxOf = (byte: number) => SecretBox.SecretBox.layer({ key: Redacted.make(keyOf(byte)) })

const accountId = Ids.AccountId.make("acct_test")

/** Sets an endpoint whose secret is sealed under the first key. */
const setUp = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const box = yield* SecretBox.SecretBox
  const account = { id: accountId, name: "Test", lines: 5, paused: false }
  yield* storage.accounts.put({ ...account, policy: Factories.openPolicy, createdAt: Factories.start })
  const secret = { ...(yield* box.seal(accountId, Redacted.make(`whsec_${"A".repeat(48)}`))), hint: "" }
  yield* storage.webhooks.set({
    accountId,
    url: "https://example.com/hook",
    enabled: true,
    events: ["call.completed"],
    secret,
    previousSecrets: [],
    createdAt: Factories.start,
    updatedAt: Factories.start
  })
})

/** The secret that the database has, opened with the second key. */
const opened = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const box = yield* SecretBox.SecretBox
  const endpoint = Option.getOrThrow(yield* storage.webhooks.get(accountId))
  return Redacted.value(yield* box.open(accountId, endpoint.secret))
})

const at = (url: string, key: number) =>
  Layer.merge(StorageLayer.layer({ _tag: "Postgres", url: Redacted.make(url) }), boxOf(key))

describe("outdial secrets reissue", () => {
  it.live(
    "makes a new secret over a database whose key is lost, and prints it once",
    () =>
      Effect.gen(function*() {
        const url = yield* Postgres.database
        yield* Effect.scoped(Effect.provide(setUp, at(url, 1), { local: true }))
        const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: url, OUTDIAL_SECRET_KEY: keyOf(2) })

        const refused = yield* run("secrets", "reencrypt")
        assert.match(refused.stderr, /outdial secrets reissue --lost-key/)
        const unsure = yield* run("secrets", "reissue")
        assert.match(unsure.stderr, /--lost-key/)
        assert.deepStrictEqual([refused.code, unsure.code], [1, 1])

        const issued = yield* run("secrets", "reissue", "--lost-key", "--json")
        const secret = yield* Effect.scoped(Effect.provide(opened, at(url, 2), { local: true }))
        assert.deepStrictEqual(JSON.parse(issued.stdout), {
          account_id: accountId,
          url: "https://example.com/hook",
          secret
        })
        assert.deepInclude(yield* run("secrets", "reissue", "--lost-key", "--json"), { code: 0, stdout: "" })
        assert.deepInclude(yield* run("secrets", "reencrypt", "--json"), { code: 0, stdout: "{\"reencrypted\":0}\n" })
      }),
    120_000
  )
})
