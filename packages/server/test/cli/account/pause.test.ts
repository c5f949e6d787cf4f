import { assert, it } from "@effect/vitest"
import { Ids, Storage } from "@outdial/core"
import { DateTime, Effect, Redacted } from "effect"
import { describe } from "vitest"
import * as Postgres from "../../../../../test/support/postgres.ts"
import * as StorageLayer from "../../../src/config/StorageLayer.ts"
import * as CommandLine from "../CommandLine.ts"

const timeout = 120_000

describe("the emergency stop", () => {
  it.live("stops and resumes one account or all, and prints what is stopped", () =>
    Effect.gen(function*() {
      const { json, run } = yield* CommandLine.open
      const clinic = yield* json("accounts", "create", "Clinic")
      assert.match((yield* run("pause")).stdout, /^Clinic \(acct_\w+\) is paused/)
      const second = yield* json("accounts", "create", "Second")
      const which = yield* run("resume")
      assert.strictEqual(which.code, 1)
      assert.match(which.stderr, /There are several accounts.*--account ID.*--all/)
      assert.match((yield* run("pause", "--all", "--account", clinic.id)).stderr, /not both/)
      assert.match((yield* run("pause", "--account", "acct_0")).stderr, /There is no account acct_0/)

      const all = yield* json("pause", "--all")
      assert.deepStrictEqual(all, {
        all_paused: true,
        paused_accounts: [{ id: clinic.id, name: "Clinic" }],
        accounts: 2,
        live_workers: 0
      })
      const listed = yield* run("accounts", "list")
      assert.match(
        listed.stdout,
        /Clinic {2}5 lines {2}paused\n.*Second {2}5 lines\nCalling is stopped for all accounts/
      )
      assert.match(
        (yield* run("resume", "--account", clinic.id)).stdout,
        /no longer paused\nCalling is stopped for all accounts/
      )
      assert.deepStrictEqual(yield* json("resume", "--all"), {
        all_paused: false,
        paused_accounts: [],
        accounts: 2,
        live_workers: 0
      })
      assert.deepInclude(yield* json("accounts", "show", "--account", second.id), { paused: false, all_paused: false })
    }), timeout)

  it.live(
    "says how many accounts and live workers it reached, and plainly when no worker is alive",
    () =>
      Effect.gen(function*() {
        const databaseUrl = yield* Postgres.database
        const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl })
        assert.strictEqual((yield* run("migrate")).code, 0)
        yield* run("accounts", "create", "Clinic")
        const alone = yield* run("pause", "--all")
        assert.match(alone.stdout, /^Reached 1 account and 0 live workers\nNo worker is alive here\. If phones ring/m)

        const now = yield* DateTime.now
        const worker = {
          id: Ids.WorkerId.make("wrk_1"),
          version: "1.0.0",
          runs: ["dispatcher"],
          startedAt: now,
          seenAt: now
        }
        yield* Effect.flatMap(Storage.Storage, ({ workers }) => workers.put({ ...worker, name: "host:42" })).pipe(
          Effect.provide(StorageLayer.layer({ _tag: "Postgres", url: Redacted.make(databaseUrl) }))
        )
        const reached = yield* run("pause", "--all")
        assert.match(reached.stdout, /^Reached 1 account and 1 live worker: host:42 \(1\.0\.0, since /m)
        assert.notInclude(reached.stdout, "No worker")
      }),
    timeout
  )
})
