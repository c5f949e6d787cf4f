import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { layer, login, outcome, send } from "../Fixture.ts"

describe("Users of the console in /v1", () => {
  it.effect("may do what their role says: operators read the webhook, and only admins set it", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const v1 = `accounts/${accountId}/v1`
      const webhook = { url: "https://example.com/hooks" }
      const seen: Record<string, ReadonlyArray<string>> = {}
      for (const role of ["viewer", "operator", "admin"] as const) {
        const cookie = yield* login({ role })
        seen[role] = [
          outcome(yield* send(`${v1}/calls`, { cookie })),
          outcome(yield* send(`${v1}/do_not_call`, { cookie })),
          outcome(yield* send(`${v1}/webhook/deliveries`, { cookie })),
          outcome(yield* send(`${v1}/webhook`, { cookie, method: "PUT", body: webhook })),
          outcome(yield* send(`${v1}/webhook/test`, { cookie, method: "POST" }))
        ]
      }
      const refused = "403 insufficient_scope"
      assert.deepStrictEqual(seen, {
        viewer: ["200", refused, refused, refused, refused],
        operator: ["200", "200", "200", refused, refused],
        admin: ["200", "200", "200", "201", "200"]
      })
    }).pipe(Effect.provide(layer())))
})
