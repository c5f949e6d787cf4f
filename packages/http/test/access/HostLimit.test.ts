import { assert, describe, it } from "@effect/vitest"
import { MemoryStorage, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Routes, WebHandler } from "../../src/index.ts"

/** A handler of a host that identifies its users by headers: `account`, and optionally `user`. */
const handlerOf = (options: Partial<Routes.MountOptions<Request>> = {}) =>
  Effect.map(
    Layer.build(WebHandler.layerAt({
      authenticate: (request: Request) => {
        const [accountId = "", principal] = (request.headers.get("x-user") ?? "").split("/")
        return { accountId, ...(principal !== undefined && { principal }) }
      },
      ...options
    })),
    (context) => Context.get(context, WebHandler)
  )

/** The status of a response, and its rate limit headers. */
const ask = (handler: WebHandler["Service"], user: string, path = "/v1/agents") =>
  Effect.map(
    Effect.promise(() => handler(new Request(`https://api.test${path}`, { headers: { "x-user": user } }))),
    ({ headers, status }) => ({
      status,
      policy: headers.get("ratelimit-policy"),
      left: headers.get("ratelimit"),
      retryAfter: headers.get("retry-after")
    })
  )

const statuses = (handler: WebHandler["Service"], user: string, times: number) =>
  Effect.forEach(Array.from({ length: times }), () => Effect.map(ask(handler, user), ({ status }) => status))

const accountOf = Effect.map(TestEngine.Tenant, ({ accountId }): string => accountId)

describe("the rate limit of a host's own users", () => {
  it.effect("limits each principal to the host's limit in any 60 seconds, and reports the remaining requests", () =>
    Effect.gen(function*() {
      const account = yield* accountOf
      const handler = yield* handlerOf({ requestsPerMinute: 3 })
      const policy = "\"default\";q=3;w=60"
      assert.deepStrictEqual(yield* ask(handler, `${account}/grace`), {
        status: 200,
        policy,
        left: "\"default\";r=2;t=60",
        retryAfter: null
      })
      yield* TestClock.adjust("20 seconds")
      // Every response counts, as with keys.
      assert.strictEqual((yield* ask(handler, `${account}/grace`, "/v1/webhook")).status, 404)
      yield* ask(handler, `${account}/grace`)
      assert.deepStrictEqual(yield* ask(handler, `${account}/grace`), {
        status: 429,
        policy,
        left: "\"default\";r=0;t=40",
        retryAfter: "40"
      })
      assert.strictEqual((yield* ask(handler, `${account}/ada`)).status, 200, "others are not held up")
      yield* TestClock.adjust("40 seconds")
      assert.deepStrictEqual(yield* statuses(handler, `${account}/grace`, 2), [200, 429])
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("is that of API keys when the host names a principal and no limit", () =>
    Effect.gen(function*() {
      const account = yield* accountOf
      const handler = yield* handlerOf()
      const answers = yield* statuses(handler, `${account}/grace`, 301)
      assert.deepStrictEqual([answers.filter((status) => status === 200).length, answers.at(-1)], [300, 429])
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("counts all requests of an account together when the host names a limit and no principal", () =>
    Effect.gen(function*() {
      const account = yield* accountOf
      const handler = yield* handlerOf({ requestsPerMinute: 2 })
      assert.deepStrictEqual(yield* statuses(handler, account, 3), [200, 200, 429])
      assert.strictEqual((yield* ask(handler, `${account}/grace`)).status, 200)
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("does not exist when the host names neither", () =>
    Effect.gen(function*() {
      const account = yield* accountOf
      const handler = yield* handlerOf()
      assert.deepStrictEqual(yield* ask(handler, account), { status: 200, policy: null, left: null, retryAfter: null })
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("is checked after the host has let the request in, and before the scope", () =>
    Effect.gen(function*() {
      const account = yield* accountOf
      const handler = yield* handlerOf({
        requestsPerMinute: 1,
        authenticate: (request) =>
          request.headers.get("x-user") === "grace"
            ? { accountId: account, principal: "grace", scopes: ["calls:read"] }
            : undefined
      })
      assert.strictEqual((yield* ask(handler, "nobody")).status, 401)
      assert.strictEqual((yield* ask(handler, "grace", "/v1/webhook")).status, 403)
      assert.strictEqual((yield* ask(handler, "grace", "/v1/webhook")).status, 429)
      assert.strictEqual((yield* ask(handler, "grace", "/healthz")).status, 200)
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("rejects requests with an invalid principal as a defect of the host", () =>
    Effect.gen(function*() {
      const account = yield* accountOf
      const handler = yield* handlerOf({ requestsPerMinute: 1 })
      assert.strictEqual((yield* ask(handler, `${account}/`)).status, 500)
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("holds across two engines on one storage, where a hash stands for the principal", () =>
    Effect.gen(function*() {
      const names: Array<string> = []
      const memory = Context.get(yield* Layer.build(MemoryStorage.layer), Storage.Storage)
      const storage = Layer.succeed(Storage.Storage, {
        ...memory,
        access: {
          ...memory.access,
          takeFromWindow: (options) => {
            names.push(options.name)
            return memory.access.takeFromWindow(options)
          }
        }
      })
      const engine = Layer.build(TestEngine.layer({ storage }))
      const [one, other] = [yield* engine, yield* engine]
      const account: string = Context.get(one, TestEngine.Tenant).accountId
      const first = yield* Effect.provideContext(handlerOf({ requestsPerMinute: 10 }), one)
      const second = yield* Effect.provideContext(handlerOf({ requestsPerMinute: 10 }), other)
      const answers = yield* Effect.forEach(
        Array.from({ length: 24 }),
        (_, index) => ask(index % 2 === 0 ? first : second, `${account}/grace@example.com`),
        { concurrency: "unbounded" }
      )
      const allowed = answers.filter(({ status }) => status === 200)
      assert.lengthOf(allowed, 10)
      assert.strictEqual(new Set(allowed.map(({ left }) => left)).size, 10, "each tells another number")
      assert.lengthOf(names, 24)
      assert.isTrue(names.every((name) => /^principal:[0-9a-f]{64}$/.test(name)))
    }))
})
