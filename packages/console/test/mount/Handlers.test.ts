import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Logger } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { AccessApi } from "../../src/access/AccessApi.ts"
import * as Audited from "../../src/access/Audited.ts"
import { MinimumRole } from "../../src/access/Roles.ts"
import { ConsoleApi } from "../../src/api/ConsoleApi.ts"
import * as Fixture from "../Fixture.ts"
import { layer, link, login, outcome, send } from "../Fixture.ts"

const cookieHeader = (received: Fixture.Received) => received.headers.getSetCookie()[0] ?? ""

describe("The handlers of the console", () => {
  it.effect("serve it below their path only, and send the cookie there", () =>
    Effect.gen(function*() {
      const opened = yield* send("/a/b/api/session", {
        body: { token: yield* link() },
        headers: { "outdial-console": "1" }
      })
      assert.strictEqual(opened.status, 200)
      assert.match(cookieHeader(opened), /; Path=\/a\/b; HttpOnly; SameSite=Strict$/)
      const moved = yield* send("/a/b")
      assert.deepStrictEqual([moved.status, moved.headers.get("location")], [308, "/a/b/"])
      for (const path of ["/", "/a", "/a/bc", "/console/api/session", "/A/b/api/session"]) {
        assert.strictEqual(outcome(yield* send(path)), "404 route_not_found", path)
      }
      assert.strictEqual(outcome(yield* send("/a/b/now", { method: "POST" })), "405 method_not_allowed")
      assert.strictEqual(outcome(yield* send("/a/b/api/session", { method: "PUT" })), "405 method_not_allowed")
    }).pipe(Effect.provide(layer({ basePath: "a/b/" }))))

  it.effect("make the cookie Secure where users come over https, also behind a proxy", () =>
    Effect.gen(function*() {
      const open = (origin: string) =>
        Effect.flatMap(link(), (token) =>
          send("session", {
            body: { token },
            headers: { "outdial-console": "1", origin, "sec-fetch-site": "same-origin" }
          }))
      assert.include(cookieHeader(yield* open("https://calls.example.com")), "; Secure")
      assert.notInclude(cookieHeader(yield* open("http://127.0.0.1:4010")), "; Secure")
    }).pipe(Effect.provide(layer())))

  it.effect("take the path that a proxy cuts off from the public URL", () =>
    Effect.gen(function*() {
      const opened = yield* send("session", { body: { token: yield* link() }, headers: { "outdial-console": "1" } })
      assert.match(cookieHeader(opened), /; Path=\/calls\/console; HttpOnly; Secure; SameSite=Strict$/)
      assert.strictEqual((yield* send("/console")).headers.get("location"), "/calls/console/")
    }).pipe(Effect.provide(layer({ publicUrl: "https://example.com/calls/" }))))

  it("refuse options that are wrong", () => {
    for (const options of [{ basePath: "/" }, { publicUrl: "example.com" }, { role: "admin" } as Fixture.Options]) {
      assert.throws(() => Effect.runSync(Effect.scoped(Effect.asVoid(Effect.provide(Fixture.Handler, layer(options))))))
    }
  })

  const faults: Readonly<Record<string, NonNullable<NonNullable<Fixture.Options>["authenticate"]>>> = {
    "throws": () => {
      throw new Error("no session store")
    },
    "rejects": () => Promise.reject(new Error("no session store")),
    "invents a role": () => ({ role: "owner" as "admin", name: "Grace" }),
    "forgets the name": () => ({ role: "admin" }) as { role: "admin"; name: string },
    "gives a name that is none": () => ({ role: "admin", name: "a\u202eb" }),
    "names no account": () => ({ role: "admin", name: "Grace", accountId: "acct_none" }),
    "misspells a field": () => ({ role: "admin", name: "Grace", account: "acct_1" }) as { role: "admin"; name: string }
  }
  for (const [fault, authenticate] of Object.entries(faults)) {
    it.effect(`answer 500 when authenticate ${fault}, and let no request through`, () =>
      Effect.gen(function*() {
        for (const path of ["session", "audit", "accounts/acct_1/v1/calls"]) {
          const { body, status } = yield* send(path)
          assert.deepStrictEqual([status, body.error.code], [500, "internal_error"], path)
          assert.notInclude(JSON.stringify(body), "session store")
        }
      }).pipe(Effect.provide([layer({ authenticate }), Logger.layer([])])))
  }

  it.effect("ask the host for each request, and open no links then", () =>
    Effect.gen(function*() {
      assert.strictEqual(outcome(yield* send("session")), "401 unauthenticated")
      const { body } = yield* send("session", { cookie: "user=grace" })
      assert.deepInclude(body, { name: "Grace", role: "operator", expires_at: null })
      const cookie = yield* login()
      assert.strictEqual(outcome(yield* send("session", { cookie })), "401 unauthenticated")
      assert.strictEqual(outcome(yield* send("audit", { cookie: "user=grace" })), "403 insufficient_role")
      assert.strictEqual(outcome(yield* send("session", { cookie: "user=grace", method: "DELETE" })), "204")
    }).pipe(Effect.provide(layer({
      authenticate: async (request) =>
        request.headers.get("cookie") === "user=grace" ? { role: "operator" as const, name: "Grace" } : null
    }))))

  it.effect("count wrong links of an address, and accept a right one all the same", () =>
    Effect.gen(function*() {
      const wrong = { body: { token: "x".repeat(43) } }
      const outcomes = yield* Effect.forEach(Array.from({ length: 21 }), () =>
        Effect.map(send("session", wrong), outcome))
      assert.deepStrictEqual([...new Set(outcomes.slice(0, 20))], ["401 link_invalid"])
      assert.strictEqual(outcomes[20], "429 rate_limited")
      assert.strictEqual(outcome(yield* send("session", { body: { token: yield* link() } })), "200")
      for (const token of ["", "x", "../..", "\u0000", "x".repeat(100_000)]) {
        assert.match(outcome(yield* send("session", { body: { token } })), /^(401|429)/)
      }
      assert.match(outcome(yield* send("session", { body: { token: 1 } })), /^400/)
    }).pipe(Effect.provide(layer())))

  it("decide of every endpoint who may use it, and record every change but those that are named", () => {
    const actions: Array<string> = []
    const visitor = {
      onGroup: () => {},
      onEndpoint: (
        { endpoint, group }: { readonly endpoint: HttpApiEndpoint.Top; readonly group: HttpApiGroup.Top }
      ) => {
        const action = `${group.identifier}.${endpoint.identifier}`
        actions.push(action)
        // The only endpoint without a user: it makes one.
        if (action !== "link.open") assert.isDefined(Context.get(endpoint.annotations, MinimumRole), action)
      }
    }
    HttpApi.reflect(AccessApi, visitor)
    HttpApi.reflect(ConsoleApi, visitor)
    const ofV1 = ["calls.preview"]
    for (const action of Audited.readOnly) assert.include([...actions, ...ofV1], action)
  })
})
