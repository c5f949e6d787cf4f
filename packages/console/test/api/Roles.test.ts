import { assert, describe, it } from "@effect/vitest"
import { ConsoleRole } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { ConsoleApi } from "../../src/api/ConsoleApi.ts"
import { AllAccounts, MinimumRole } from "../../src/access/Roles.ts"
import * as Fixture from "./Fixture.ts"

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly minimum: ConsoleRole.Role | undefined
  readonly isOfAll: boolean
}

const endpoints: Array<Endpoint> = []
HttpApi.reflect(ConsoleApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    endpoints.push({
      method: endpoint.method,
      path: endpoint.path,
      minimum: Context.get(endpoint.annotations, MinimumRole),
      isOfAll: Context.get(endpoint.annotations, AllAccounts)
    })
  }
})

const codeOf = Effect.fnUntraced(function*({ method, path }: Endpoint, sent: Fixture.Sent, account?: string) {
  const { accountId } = yield* TestEngine.Tenant
  const filled = path.replace(":account", account ?? accountId).replaceAll(/:\w+/gu, "x")
  const response = yield* Fixture.respond(filled, { method, ...sent })
  // A stream that admits its user does not end.
  if (response.headers.get("content-type")?.startsWith("application/json") !== true) {
    yield* Effect.promise(async () => response.body?.cancel())
    return undefined
  }
  const body = yield* Effect.promise(() => response.json() as Promise<{ readonly error?: { readonly code: string } }>)
  return body.error?.code
})

describe("roles of the console's API", () => {
  it.effect("every endpoint refuses users below its role, and admits those with it", () =>
    Effect.gen(function*() {
      assert.isAtLeast(endpoints.length, 20)
      for (const endpoint of endpoints) {
        const { method, minimum, path } = endpoint
        assert.isDefined(minimum, path)
        for (const role of ConsoleRole.Role.literals) {
          const isAdmitted = ConsoleRole.isAtLeast(role, minimum ?? "admin")
          const code = yield* codeOf(endpoint, { role })
          assert.strictEqual(code === "insufficient_role", !isAdmitted, `${role}: ${method} ${path}`)
        }
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("a user of one account sees no other, and nothing that concerns all", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const other = yield* Fixture.send("/accounts", { body: { name: "Other" } })
      assert.strictEqual(other.status, 201)
      for (const endpoint of endpoints) {
        const { isOfAll, method, path } = endpoint
        const code = yield* codeOf(endpoint, { onlyAccount: accountId }, other.body["id"])
        assert.strictEqual(code, isOfAll ? "insufficient_role" : "not_found", `${method} ${path}`)
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("an account that does not exist is not found", () =>
    Effect.gen(function*() {
      const { status } = yield* Fixture.send("/accounts/acct_none/overview", { role: "viewer" })
      assert.strictEqual(status, 404)
    }).pipe(Effect.provide(Fixture.layer())))
})
