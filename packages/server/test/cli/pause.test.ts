import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import * as CommandLine from "./CommandLine.ts"

const timeout = 60_000

describe("the emergency stop", () => {
  it.live("stops and resumes one account or all, and says what is stopped", () =>
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
      assert.deepStrictEqual(all, { all_paused: true, paused_accounts: [{ id: clinic.id, name: "Clinic" }] })
      const listed = yield* run("accounts", "list")
      assert.match(listed.stdout, /Clinic {2}5 lines {2}paused\n.*Second {2}5 lines\nAll accounts are stopped/)
      assert.match(
        (yield* run("resume", "--account", clinic.id)).stdout,
        /not paused any more\nAll accounts are stopped/
      )
      assert.deepStrictEqual(yield* json("resume", "--all"), { all_paused: false, paused_accounts: [] })
      assert.deepInclude(yield* json("accounts", "show", "--account", second.id), { paused: false, all_paused: false })
    }), timeout)
})
