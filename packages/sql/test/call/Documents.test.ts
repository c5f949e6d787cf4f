import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Effect, Layer, Option } from "effect"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"

const layer = Layer.provide(SqlStorage.layer, Postgres.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("What an owner sends with a call", (it) => {
  it.effect("is returned unchanged, with any characters and in its order", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      // Postgres keeps neither of the two in text or jsonb: a NUL, and half of a surrogate pair.
      const text = "nul \u0000, half \ud800, quote \" and backslash \\"
      const metadata = { z: text, [`key ${text}`]: [1e21, 0.1, -0, null], a: {} }
      const result = yield* account.start({ contact: { name: text }, variables: { topic: text }, metadata })
      assert.strictEqual(result._tag, "Started")
      if (result._tag !== "Started") return
      const call = Option.getOrThrow(yield* account.storage.calls.get(account.id, result.call.id))
      assert.deepStrictEqual([call.contact, call.variables], [{ name: text }, { topic: text }])
      assert.strictEqual(JSON.stringify(call.metadata), JSON.stringify(metadata))
    }))
})
