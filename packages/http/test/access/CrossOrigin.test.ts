import { assert, describe, it } from "@effect/vitest"
import { OutdialError } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { Routes, WebHandler } from "../../src/index.ts"
import { Everything, key, send } from "../Fixture.ts"

/** A host that knows its users by a cookie, at https://api.test. */
const layer = (options: Partial<Routes.MountOptions<Request>> = {}) =>
  Layer.merge(
    Layer.unwrap(Effect.map(TestEngine.Tenant, ({ accountId }) =>
      WebHandler.layerAt({
        authenticate: (request: Request) => request.headers.get("cookie") === "user=grace" ? { accountId } : undefined,
        ...options
      }))),
    Layer.succeed(Everything, "")
  ).pipe(Layer.provideMerge(TestEngine.layer()))

/** What a browser that has the cookie sends without a body, as any page may have it do. */
const rotate = (headers: Record<string, string>) =>
  send("/v1/webhook/rotate-secret", { method: "POST", headers: { cookie: "user=grace", ...headers } })

/** Whether a request with these headers has rotated the secret; one that has not left it as it was. */
const rotates = Effect.fnUntraced(function*(headers: Record<string, string>) {
  const hint = Effect.map(
    send("/v1/webhook", { headers: { cookie: "user=grace" } }),
    ({ body }): string => body["secret_hint"]
  )
  const before = yield* hint
  const { body, status } = yield* rotate(headers)
  const isRotated = before !== (yield* hint)
  assert.deepStrictEqual(
    [status, body["error"]?.code, isRotated],
    isRotated ? [200, undefined, true] : [403, "cross_origin_request", false],
    JSON.stringify(headers)
  )
  return isRotated
})

const setWebhook = send("/v1/webhook", {
  method: "PUT",
  body: { url: "https://example.com/hook" },
  headers: { cookie: "user=grace" }
})

/** Checks for each of these headers whether the secret was rotated. */
const expectRotations = (table: ReadonlyArray<readonly [Record<string, string>, boolean]>) =>
  Effect.gen(function*() {
    assert.strictEqual((yield* setWebhook).status, 201)
    for (const [headers, expected] of table) {
      // At most ten earlier secrets are kept, so that each ends those before.
      assert.strictEqual(yield* rotates(headers), expected, JSON.stringify(headers))
      yield* send("/v1/webhook/rotate-secret", {
        body: { grace_period_seconds: 0 },
        headers: { cookie: "user=grace" }
      })
    }
  })

describe("requests that a browser sends for a page of another origin, where a host lets its users in", () => {
  it.effect("change nothing, and those of the own origin and of other programs do", () =>
    expectRotations([
      // Programs that are no browsers.
      [{}, true],
      // Browsers of today say where the page is from.
      [{ "sec-fetch-site": "same-origin" }, true],
      [{ "sec-fetch-site": "none" }, true],
      [{ "sec-fetch-site": "same-origin", origin: "https://api.test" }, true],
      [{ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, false],
      [{ "sec-fetch-site": "cross-site" }, false],
      [{ "sec-fetch-site": "same-site", origin: "https://blog.api.test" }, false],
      [{ "sec-fetch-site": "cross-site", origin: "https://api.test" }, false],
      [{ "sec-fetch-site": "something new" }, false],
      [{ "sec-fetch-site": "same-origin, cross-site" }, false],
      // A proxy has rewritten Host, and the browser's word holds.
      [{ "sec-fetch-site": "same-origin", origin: "https://app.example.com", host: "10.0.0.7:3000" }, true],
      // Older browsers send Origin alone.
      [{ origin: "https://api.test" }, true],
      [{ origin: "https://evil.example" }, false],
      [{ origin: "https://api.test.evil.example" }, false],
      [{ origin: "https://api.test:8443" }, false],
      [{ origin: "null" }, false],
      [{ origin: "" }, false],
      [{ origin: "https://api.test, https://evil.example" }, false],
      [{ origin: "chrome-extension://api.test" }, false],
      // By the Host that was sent, behind a proxy that ends TLS, too.
      [{ origin: "https://app.example.com", host: "app.example.com" }, true],
      [{ origin: "http://app.example.com", host: "app.example.com" }, true],
      [{ origin: "https://app.example.com", host: "app.example.com:443" }, true],
      [{ origin: "https://app.example.com", host: "App.Example.com" }, true],
      [{ origin: "http://localhost:3000", host: "localhost:3000" }, true],
      [{ origin: "http://localhost:3001", host: "localhost:3000" }, false],
      [{ origin: "https://app.example.com", host: "10.0.0.7:3000" }, false]
    ]).pipe(Effect.provide(layer())))

  it.effect("change something when the host allows their origin", () =>
    expectRotations([
      [{ "sec-fetch-site": "cross-site", origin: "https://app.example.com" }, true],
      [{ "sec-fetch-site": "same-site", origin: "http://localhost:3000" }, true],
      [{ origin: "https://app.example.com" }, true],
      [{ origin: "https://app.example.com", host: "10.0.0.7:3000" }, true],
      [{ origin: "https://api.test" }, true],
      [{ origin: "http://app.example.com" }, false],
      [{ origin: "https://app.example.com:8443" }, false],
      [{ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, false]
    ]).pipe(Effect.provide(layer({ allowedOrigins: ["https://app.example.com", "http://localhost:3000"] }))))

  it.effect("are refused with every method that changes something, and may read as the cookie allows", () =>
    Effect.gen(function*() {
      const foreign = { cookie: "user=grace", origin: "https://evil.example", "sec-fetch-site": "cross-site" }
      for (
        const [method, path] of [
          ["PUT", "/v1/webhook"],
          ["DELETE", "/v1/webhook"],
          ["POST", "/v1/calls"],
          ["POST", "/v1/calls/preview"],
          ["POST", "/v1/do_not_call"],
          ["DELETE", "/v1/do_not_call/+14155550100"]
        ] as const
      ) {
        const { body, status } = yield* send(path, { method, headers: foreign })
        assert.deepStrictEqual([status, body["error"]?.code], [403, "cross_origin_request"], `${method} ${path}`)
      }
      for (const method of ["GET", "HEAD"]) {
        const { headers, status } = yield* send("/v1/agents", { method, headers: foreign })
        assert.strictEqual(status, 200)
        assert.isFalse(headers.has("access-control-allow-origin"), "the page cannot read the answer")
      }
    }).pipe(Effect.provide(layer())))

  it.effect("are no danger to API keys, which browsers do not send by themselves", () =>
    Effect.gen(function*() {
      const { status } = yield* send("/v1/calls/preview", {
        body: { phone_number: "+14155550100" },
        key: yield* key("calls:read"),
        headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
      })
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(
      Layer.merge(WebHandler.layer, Layer.succeed(Everything, "")).pipe(Layer.provideMerge(TestEngine.layer()))
    )))
})

describe("the options of a host that lets its users in", () => {
  const wrong: ReadonlyArray<readonly [Partial<Routes.MountOptions<Request>>, RegExp]> = [
    [{ allowedOrigins: ["app.example.com"] }, /^allowedOrigins must be origins such as https:\/\/app.example.com/],
    [{ allowedOrigins: ["https://app.example.com/"] }, /"https:\/\/app.example.com\/" is not$/],
    [{ allowedOrigins: ["https://App.example.com"] }, /is not$/],
    [{ allowedOrigins: ["null"] }, /"null" is not$/],
    [{ allowedOrigins: ["*"] }, /"\*" is not$/],
    [{ requestsPerMinute: 0 }, /^requestsPerMinute must be a whole number from 1/],
    [{ requestsPerMinute: 1.5 }, /^requestsPerMinute/],
    [{ requestsPerMinute: NaN }, /^requestsPerMinute/],
    [{ requestsPerMinute: 1e9 }, /^requestsPerMinute/]
  ]
  it.effect.each(wrong)("are refused when the handler is made: %j", ([options, message]) =>
    Effect.gen(function*() {
      const services = yield* Effect.context<Routes.EngineServices>()
      const error = yield* Effect.promise(() =>
        WebHandler.over({ services }, { authenticate: () => undefined, ...options }).then(
          () => undefined,
          (error) => error
        )
      )
      assert.isTrue(OutdialError.is(error, "invalid_request"))
      assert.match(String(error?.message), message)
    }).pipe(Effect.provide(TestEngine.layer())))
})
