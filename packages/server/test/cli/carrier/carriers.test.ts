import { assert, describe, it } from "@effect/vitest"
import { Ids, Storage } from "@outdial/core"
import { DateTime, Effect, Redacted } from "effect"
import * as Postgres from "../../../../../test/support/postgres.ts"
import * as StorageLayer from "../../../src/config/StorageLayer.ts"
import * as CommandLine from "../CommandLine.ts"

describe("outdial carriers", () => {
  it.live("lists, pauses and resumes carriers, and shows why one is paused", () =>
    Effect.gen(function*() {
      const url = yield* Postgres.database
      const { json, run } = yield* CommandLine.inEnvironment({ DATABASE_URL: url })
      assert.strictEqual((yield* run("migrate")).code, 0)
      assert.deepStrictEqual(yield* json("carriers", "list"), [])
      const unknown = yield* run("carriers", "pause", "twilio")
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "carrier twilio")

      const carrier = Ids.CarrierName.make("twilio")
      const now = DateTime.makeUnsafe("2026-03-02T10:00:00.000Z")
      yield* Effect.gen(function*() {
        const { carriers } = yield* Storage.Storage
        yield* carriers.pause({ carrier, now, by: "fault", reason: { code: "20003", message: "Authenticate" } })
      }).pipe(Effect.provide(StorageLayer.layer({ _tag: "Postgres", url: Redacted.make(url) })))
      assert.deepStrictEqual(yield* json("carriers", "list"), [{
        name: "twilio",
        paused: {
          at: "2026-03-02T10:00:00.000Z",
          by: "fault",
          reason: { code: "20003", message: "Authenticate" },
          checked_at: "2026-03-02T10:00:00.000Z"
        }
      }])
      assert.match(
        (yield* run("carriers", "list")).stdout,
        /^twilio {2}paused since 2026-03-02T10:00:00.000Z: it takes no calls of this account: Authenticate \(20003\)\.$/m
      )
      assert.match((yield* run("carriers", "pause", "twilio")).stdout, /^twilio {2}paused by an operator since /)
      assert.deepStrictEqual(yield* json("carriers", "resume", "twilio"), { name: "twilio", paused: null })
      assert.match((yield* run("carriers", "resume", "twilio")).stdout, /^twilio {2}dials$/m)
    }), 120_000)
})
