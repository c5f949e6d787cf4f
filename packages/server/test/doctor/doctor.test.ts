import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as CommandLine from "../cli/CommandLine.ts"

const key = Buffer.alloc(32).toString("base64")

interface Finding {
  readonly check: string
  readonly level: string
  readonly message: string
}

const run = (variables: Record<string, string>, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(
    CommandLine.inEnvironment({ OUTDIAL_CARRIER: "simulated", ...variables }),
    ({ run }) => run("doctor", ...args)
  )

const levels = (checks: ReadonlyArray<Finding>) => Object.fromEntries(checks.map(({ check, level }) => [check, level]))

describe("outdial doctor", () => {
  it.live("looks at everything, changes nothing, and ends with 0 when nothing failed", () =>
    Effect.gen(function*() {
      const environment = {
        DATABASE_URL: yield* Postgres.databaseAsIs,
        OUTDIAL_SECRET_KEY: key,
        OUTDIAL_PUBLIC_URL: "https://calls.example.com",
        OUTDIAL_METRICS_PORT: "9464"
      }
      for (const _ of [1, 2]) {
        const { code, stdout } = yield* run(environment, "--json")
        const { checks, ok } = JSON.parse(stdout)
        assert.deepStrictEqual([code, ok], [0, true])
        assert.deepStrictEqual(levels(checks), {
          database: "ok",
          durability: "ok",
          standby: "warning",
          encryption: "ok",
          connections: "ok",
          timeouts: "ok",
          clock: "ok",
          // Still so the second time: looking does not migrate.
          migrations: "warning",
          "time zones": "ok",
          "public URL": "ok",
          webhooks: "ok",
          metrics: "ok",
          provider: "warning"
        })
      }
    }))

  it.live("creates no missing folder, and no database in an empty folder", () =>
    Effect.gen(function*() {
      const parent = yield* CommandLine.folder
      const [empty, later] = [join(parent, "empty"), join(parent, "later")]
      mkdirSync(empty)
      for (const data of [later, empty]) {
        const { checks } = JSON.parse((yield* run({ OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: key }, "--json")).stdout)
        assert.strictEqual(levels(checks)["database"], "warning")
      }
      assert.deepStrictEqual([readdirSync(empty), existsSync(later)], [[], false])
    }))

  it.live("opens every secret of a database in use, and reports a key that does not fit", () =>
    Effect.gen(function*() {
      const url = yield* Postgres.databaseAsIs
      yield* Effect.flatMap(CommandLine.inEnvironment({ DATABASE_URL: url }), ({ run }) => run("migrate"))
      const { checks } = JSON.parse((yield* run({ DATABASE_URL: url, OUTDIAL_SECRET_KEY: key }, "--json")).stdout)
      assert.include(levels(checks), { database: "ok", migrations: "ok", secrets: "ok" })
      const without = yield* run({ DATABASE_URL: url })
      assert.strictEqual(without.code, 1)
      assert.match(without.stdout, /^failed {3}secrets {12}OUTDIAL_SECRET_KEY is not set; make one with/m)
      assert.match(without.stderr, /^outdial: One check failed$/m)
    }))

  it.live("reports all unreadable settings at once", () =>
    Effect.gen(function*() {
      const data = yield* CommandLine.folder
      yield* Effect.flatMap(CommandLine.inEnvironment({ OUTDIAL_DATA: data }), ({ run }) => run("migrate"))
      const wrong = {
        PORT: "x",
        OUTDIAL_PUBLIC_URL: "calls.example.com",
        OUTDIAL_SECRET_KEY: "short",
        OUTDIAL_WEBHOOK_ALLOW: "receiver:65536",
        OUTDIAL_DRAIN_DELAY_SECONDS: "1.5",
        OUTDIAL_DRAIN_SECONDS: "soon"
      }
      const { code, stdout } = yield* run({ OUTDIAL_DATA: data, ...wrong }, "--json")
      const { checks }: { checks: ReadonlyArray<Finding> } = JSON.parse(stdout)
      assert.include(levels(checks), { database: "ok", migrations: "ok" })
      const failed = checks.filter(({ level }) => level === "failed")
      assert.strictEqual(code, 1)
      assert.sameMembers(failed.map(({ message }) => message.split(" ")[0] ?? ""), Object.keys(wrong))
    }))

  it.live("fails where a server that dials has no carrier", () =>
    Effect.gen(function*() {
      const provider = (env: Record<string, string>) =>
        Effect.map(
          run({ OUTDIAL_CARRIER: "", OUTDIAL_DATA: "/nowhere", OUTDIAL_SECRET_KEY: key, ...env }, "--json"),
          ({ stdout }) => levels(JSON.parse(stdout).checks)["provider"]
        )
      assert.deepStrictEqual([yield* provider({}), yield* provider({ OUTDIAL_ROLE: "api" })], ["failed", "ok"])
    }))

  it.live("goes on behind a check that failed, and ends with 1", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* run({ DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x", PORT: "x" }, "--json")
      const { checks, ok }: { checks: ReadonlyArray<Finding>; ok: boolean } = JSON.parse(stdout)
      assert.deepStrictEqual([code, ok], [1, false])
      assert.deepStrictEqual(levels(checks), {
        database: "failed",
        "time zones": "ok",
        settings: "failed"
      })
      assert.match(checks[0]?.message ?? "", /ECONNREFUSED.*Is Postgres running/)
      assert.notInclude(stdout, "hunter2")
    }))
})
