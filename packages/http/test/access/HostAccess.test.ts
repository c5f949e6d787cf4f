import { assert, describe, it } from "@effect/vitest"
import type { ApiKey } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Logger } from "effect"
import { type Authenticate, WebHandler } from "../../src/index.ts"
import { Everything, key, type Received, send } from "../Fixture.ts"

/** A handler that asks this host, over an engine in memory. */
const layer = (authenticate: (accountId: string) => Authenticate<Request>) =>
  Layer.merge(
    Layer.unwrap(
      Effect.map(TestEngine.Tenant, ({ accountId }) => WebHandler.layerAt({ authenticate: authenticate(accountId) }))
    ),
    // A valid key, which is ignored if the host authenticates.
    Layer.effect(Everything, key("calls:read", "calls:write"))
  ).pipe(Layer.provideMerge(TestEngine.layer()))

/** A host with a cookie for its users, who may do what is said. */
const byCookie = (...scopes: ReadonlyArray<ApiKey.Scope>) => (accountId: string): Authenticate<Request> => (request) =>
  request.headers.get("cookie") === "user=grace" ? { accountId, ...(scopes.length > 0 && { scopes }) } : undefined

const codeOf = ({ body, status }: Received) => [status, body["error"]?.code]

const grace = { headers: { cookie: "user=grace" } }

describe("A host that lets requests in", () => {
  it.effect("says on whose behalf they are made", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const { body, headers, status } = yield* send("/v1/agents", { ...grace, key: "" })
      assert.strictEqual(status, 200)
      assert.strictEqual(body["data"][0].id, agentId)
      assert.isFalse(headers.has("ratelimit"), "how often is the host's to say")
      assert.strictEqual((yield* send("/v1/webhook", grace)).status, 404, "all scopes when it names none")
    }).pipe(Effect.provide(layer(byCookie()))))

  it.effect("keeps out everybody else, with a key or without", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(codeOf(yield* send("/v1/agents", { key: "" })), [401, "unauthenticated"])
      assert.deepStrictEqual(codeOf(yield* send("/v1/agents")), [401, "unauthenticated"])
      assert.deepStrictEqual(codeOf(yield* send("/v1/nowhere")), [404, "route_not_found"])
      assert.strictEqual((yield* send("/healthz", { key: "" })).status, 200)
    }).pipe(Effect.provide(layer(byCookie()))))

  it.effect("may allow less than everything", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* send("/v1/calls", grace)).status, 200)
      const { body, status } = yield* send("/v1/webhook", grace)
      assert.deepStrictEqual([status, body["error"].code], [403, "insufficient_scope"])
      assert.notMatch(body["error"].message, /key/, "there are no keys here")
      assert.deepStrictEqual(codeOf(yield* send("/v1/calls", { ...grace, body: {} })), [403, "insufficient_scope"])
    }).pipe(Effect.provide(layer(byCookie("calls:read")))))

  it.effect("is given its request as its framework makes it", () => {
    /** With what a framework adds. */
    interface FrameworkRequest extends Request {
      readonly session?: string
    }
    const bySession = (accountId: string) => ({ session = "none" }: FrameworkRequest) =>
      session === "none" ? { accountId } : undefined
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const handler = yield* Effect.provide(WebHandler, WebHandler.layerAt({ authenticate: bySession(accountId) }))
      const { status } = yield* Effect.promise(() => handler(new Request("https://outdial.test/v1/agents")))
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(TestEngine.layer()))
  })

  it.effect("may take its time", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* send("/v1/agents")).status, 200)
    }).pipe(Effect.provide(layer((accountId) => () => Promise.resolve({ accountId })))))

  const faults: Readonly<Record<string, Authenticate<Request>>> = {
    "throws": () => {
      throw new Error("no session store")
    },
    "rejects": () => Promise.reject(new Error("no session store")),
    "names an account that there is not": () => ({ accountId: "acct_nobody" }),
    "names what is no account": () => ({ accountId: "" }),
    // A host in plain JavaScript may answer anything; true is not an account.
    "answers something else": (() => true) as unknown as Authenticate<Request>,
    "allows what there is not": (() => ({
      accountId: "acct_nobody",
      scopes: ["everything"]
    })) as unknown as Authenticate<Request>
  }
  for (const [fault, authenticate] of Object.entries(faults)) {
    it.effect(`rejects every request if it ${fault}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(codeOf(yield* send("/v1/agents")), [500, "internal_error"])
      }).pipe(Effect.provide(layer(() => authenticate))))
  }
})

describe("The place of the interface", () => {
  for (const basePath of ["/calls/api", "calls/api", "/calls/api/", "//calls/api//"]) {
    it.effect(`is the same however it is written: ${basePath}`, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* send("/calls/api/healthz", { key: "" })).status, 200)
        for (const path of ["/elsewhere/healthz", "/healthz", "/calls/apihealthz", "/calls/api"]) {
          const answer = yield* send(path, { key: "" })
          assert.deepStrictEqual(codeOf(answer), [404, "route_not_found"], path)
          assert.include(answer.body["error"].message, "GET /calls/api/openapi.json")
        }
      }).pipe(Effect.provide(
        Layer.merge(WebHandler.layerAt({ basePath }), Layer.succeed(Everything, "")).pipe(
          Layer.provideMerge(TestEngine.layer())
        )
      )))
  }
})

describe("A host whose authenticate returns a wrong value", () => {
  const shape =
    "It must return { accountId, scopes, principal }, of which scopes and principal are optional, or undefined for a " +
    "request to refuse with 401"
  const faults: ReadonlyArray<readonly [answer: unknown, problem: string]> = [
    [{ accountId: "acct_1", principal: "" }, "principal must be text and not empty"],
    [{ accountId: "acct_1", principal: null }, "principal must be text and not empty"],
    [{ accountId: "acct_1", principal: 5 }, "principal must be text and not empty"],
    [{ accountId: "acct_1", principal: {} }, "principal must be text and not empty"],
    [{ accountId: "a secret" }, "accountId must be an id that begins with \"acct_\""],
    [{ accountId: "acct_1", scope: ["calls:read"] }, "scope is not a known field; did you mean scopes?"],
    [{ accountId: "acct_1" }, "accountId is that of no account"],
    ["a secret", "The request must be an object"]
  ]
  it.effect.each(faults)("logs the problem of %j, without its values", ([answer, problem]) => {
    const logged: Array<string> = []
    return Effect.gen(function*() {
      const { body, status } = yield* send("/v1/agents", grace)
      assert.deepStrictEqual([status, body["error"].code], [500, "internal_error"])
      const [line = ""] = logged.filter((text) => text.includes("A request failed"))
      const message = `authenticate returned a wrong value: ${problem}. ${shape}`
      assert.include(line.replaceAll("\\\"", "\""), message)
      assert.notInclude(line, "a secret")
    }).pipe(Effect.provide(
      layer(() => () => answer as ReturnType<Authenticate<Request>>).pipe(
        Layer.provideMerge(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))]))
      )
    ))
  })
})
