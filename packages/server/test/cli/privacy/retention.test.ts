import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { Effect } from "effect"
import * as Postgres from "../../../../../test/support/postgres.ts"
import * as CommandLine from "../CommandLine.ts"

const number = "+14155550100"
const key = Buffer.alloc(32, 1).toString("base64")

describe("the command line", () => {
  it.live("shows usage by day, erases a number, and hangs up no unknown call", () =>
    Effect.gen(function*() {
      const url = yield* Postgres.database
      const { json, run } = yield* CommandLine.inEnvironment({ DATABASE_URL: url, OUTDIAL_SECRET_KEY: key })
      yield* run("migrate")
      yield* run("accounts", "create", "Clinic")
      assert.deepStrictEqual(yield* json("usage", "--from", "2026-03-01", "--to", "2026-03-02"), [
        { day: "2026-03-01", calls_placed: 0, seconds_talked: 0, costs: [] },
        { day: "2026-03-02", calls_placed: 0, seconds_talked: 0, costs: [] }
      ])
      const wrong = yield* run("usage", "--from", "2026-03-02", "--to", "2026-03-01")
      assert.deepStrictEqual([wrong.code, wrong.stderr], [1, "outdial: --to must not be before from\n"])
      yield* run("do-not-call", "add", number)
      assert.deepStrictEqual(yield* json("erase", number), {
        calls: 0,
        canceled: 0,
        events: 0,
        rejected_rows: 0,
        do_not_call: true
      })
      assert.deepStrictEqual(yield* json("do-not-call", "list"), [])
      assert.strictEqual((yield* run("do-not-call", "remove", number)).code, 0)
      const hangUp = yield* run("calls", "hang-up", "call_1")
      assert.deepStrictEqual([hangUp.code, hangUp.stderr], [1, "outdial: There is no call call_1\n"])
      const letters = yield* run("erase", "letters")
      assert.strictEqual(letters.code, 1)
      assert.include(letters.stderr, "must be a telephone number")
    }), 120_000)

  it.live("erases nothing without the key that what stays is hashed under", () =>
    Effect.gen(function*() {
      const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: yield* Postgres.database })
      yield* run("migrate")
      yield* run("accounts", "create", "Clinic")
      const { code, stderr } = yield* run("erase", number)
      assert.strictEqual(code, 1)
      assert.include(stderr, "OUTDIAL_SECRET_KEY is not set")
    }), 120_000)
})
