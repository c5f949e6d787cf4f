import { assert, it } from "@effect/vitest"
import { Calls, Webhooks } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Layer } from "effect"
import { describe } from "vitest"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Fixture from "./Fixture.ts"

const onPostgres = Fixture.layer({ storage: Layer.orDie(Layer.provide(SqlStorage.layer, Postgres.layer)), speed: 1000 })

describe("the console's API on Postgres", () => {
  it.live("shows what waits, and what came of a call", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const webhooks = yield* Webhooks.Webhooks
      yield* webhooks.set(accountId, { url: "https://example.com/hook" })
      const now = yield* DateTime.now
      const start = (phoneNumber: string, notBefore?: DateTime.Utc) =>
        calls.start(accountId, {
          agentId,
          phoneNumber,
          variables: { topic: "x" },
          ...(notBefore !== undefined && { notBefore })
        })
      yield* start("+14155550100", DateTime.add(now, { hours: 1 }))
      const { id } = yield* start("+14155550101")
      yield* calls.cancel(accountId, id)
      yield* TestEngine.drain
      const overview = yield* Fixture.inAccount("/overview", { role: "viewer" })
      assert.strictEqual(overview.status, 200)
      assert.deepStrictEqual(overview.body["calls"], { queued: 1, dialing: 0, in_progress: 0 })
      assert.deepStrictEqual(
        overview.body["waiting"].map(({ calls, status_code: code }: Record<string, unknown>) => [code, calls]),
        [["not_before", 1]]
      )
      const timeline = yield* Fixture.inAccount(`/calls/${id}/timeline`)
      assert.deepStrictEqual(
        timeline.body["items"].map(({ kind }: { readonly kind: string }) => kind),
        ["created", "ended", "event", "delivery"]
      )
      const preview = yield* Fixture.inAccount("/policy/preview", { body: { policy: { calling_hours: null } } })
      assert.deepStrictEqual(preview.body["effect"], {
        waiting_calls: 1,
        waiting_calls_examined: 1,
        now_callable: 0,
        later: 1,
        expire: 0
      })
      const row = { phone_number: "+14155550100", variables: { topic: "x" } }
      const checked = yield* Fixture.inAccount("/batches/check", { body: { agent_id: agentId, calls: [row] } })
      assert.deepStrictEqual(checked.body["rejected"].map(({ code }: { readonly code: string }) => code), [
        "call_already_queued"
      ])
      const versions = yield* Fixture.inAccount(`/agents/${agentId}/versions`)
      assert.deepStrictEqual(versions.body["data"].length, 1)
    }).pipe(Effect.provide(onPostgres)), 30_000)
})
