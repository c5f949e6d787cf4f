import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { DateTime, Effect, Layer, Option } from "effect"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"

const layer = Layer.provide(SqlStorage.layer, Postgres.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Requests for lists", (it) => {
  it.effect("may contain values that the database has no text or date for", () =>
    Effect.gen(function*() {
      const { id: accountId, start, storage } = yield* Account.make()
      const externalId = "nul \u0000, half \ud800, quote \" and backslash \\"
      yield* start({ contact: { externalId } })
      yield* start()
      const list = (after: Option.Option<{ readonly createdAt: DateTime.Utc; readonly id: string }>) =>
        Effect.map(storage.calls.list({ accountId, filter: { externalId }, page: { limit: 5, after } }), ({ items }) =>
          items.map(({ contact }) => contact.externalId))
      const [end, beginning] = [8.64e15, -8.64e15].map((millis) =>
        DateTime.makeUnsafe(millis)
      )
      if (end === undefined || beginning === undefined) return
      assert.deepStrictEqual(yield* list(Option.none()), [externalId])
      assert.deepStrictEqual(yield* list(Option.some({ createdAt: end, id: "a\u0000b" })), [externalId])
      assert.deepStrictEqual(yield* list(Option.some({ createdAt: beginning, id: "" })), [])
    }))
})
