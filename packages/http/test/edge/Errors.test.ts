import { assert, describe, it } from "@effect/vitest"
import { MemoryStorage, Storage } from "@outdial/core"
import { Effect, Layer, Logger } from "effect"
import { WebHandler } from "../../src/index.ts"
import * as Fixture from "../Fixture.ts"

const { errorOf } = Fixture

const post = (body: unknown, headers: Record<string, string> = {}) =>
  Effect.map(Fixture.send("/v1/calls", { body, headers }), errorOf)

describe("slashes in a path", () => {
  it.effect.each(["//v1//webhook", "/v1//webhook", "//v1/webhook", "/v1/calls//call_1"])(
    "are not read as fewer: %s",
    (path) =>
      Effect.gen(function*() {
        const { code, status } = errorOf(yield* Fixture.send(path))
        assert.deepStrictEqual([status, code], [404, "route_not_found"])
      }).pipe(Effect.provide(Fixture.layer()))
  )
})

describe("headers that can be read in two ways", () => {
  it.effect.each([
    ["transfer-encoding", "gzip, chunked"],
    ["transfer-encoding", "chunked, chunked"],
    ["host", "a.test, b.test"],
    ["host", "a.test/path"]
  ])("are refused before any route: %s: %s", ([name = "", value = ""]) =>
    Effect.gen(function*() {
      const answer = yield* Fixture.send("/nope", { headers: { [name]: value } })
      const { code, location, param, status } = errorOf(answer)
      assert.deepStrictEqual([status, code, param, location], [400, "invalid_request", `/${name}`, "header"])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect.each([
    ["transfer-encoding", "Chunked"],
    ["host", "api.test:8080"],
    ["host", "[::1]:8080"],
    ["host", ""]
  ])("are not these: %s: %s", ([name = "", value = ""]) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Fixture.send("/v1/agents", { headers: { [name]: value } })).status, 200)
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("a semicolon in a path", () => {
  it.effect.each(["/v1/agents;x", "/v1/calls;x=1?limit=1"])(
    "belongs to it, and finds no other path: %s",
    (path) =>
      Effect.gen(function*() {
        const answer = yield* Fixture.send(path)
        assert.strictEqual(answer.status, 404)
      }).pipe(Effect.provide(Fixture.layer()))
  )
})

describe("every answer", () => {
  it.effect.each([
    ["/v1/agents", "GET", 200],
    ["/healthz", "GET", 200],
    ["/v1/calls/call_1", "GET", 404],
    ["/nope", "GET", 404],
    ["/v1/calls", "DELETE", 405],
    ["/v1/calls", "POST", 400]
  ])(
    "carries an id, is not cached, and is for no browser's script: %s",
    ([path, method, status]) =>
      Effect.gen(function*() {
        const answer = yield* Fixture.send(String(path), {
          method: String(method),
          headers: { origin: "https://evil.test" }
        })
        assert.strictEqual(answer.status, Number(status))
        assert.match(answer.headers.get("x-request-id") ?? "", /^req_[0-9a-z]{20}$/)
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        assert.isNull(answer.headers.get("access-control-allow-origin"))
      }).pipe(Effect.provide(Fixture.layer()))
  )

  it.effect("has an id of its own, which the caller cannot choose", () =>
    Effect.gen(function*() {
      const ids = yield* Effect.forEach([1, 2], () =>
        Effect.map(Fixture.send("/healthz", { headers: { "x-request-id": "req_mine" } }), (_) =>
          _.headers.get("x-request-id")))
      assert.notStrictEqual(ids[0], ids[1])
      assert.notInclude(ids, "req_mine")
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("errors (spec §7)", () => {
  it.effect("report all problems of a request, in wire names", () =>
    Effect.gen(function*() {
      const error = yield* post({
        phone_number: 5,
        contact: { email: "nobody", external_id: "x".repeat(256) },
        variables: { "a/b~c": null },
        metadata: { text: "ä".repeat(4096) },
        test: "yes"
      })
      const { errors, message, ...rest } = error
      assert.deepStrictEqual(rest, { status: 400, code: "invalid_request", param: "/agent_id", location: "body" })
      assert.strictEqual(message, "agent_id is required")
      assert.deepStrictEqual(errors.map(({ param }: { param: string }) => param), [
        "/agent_id",
        "/phone_number",
        "/contact/email",
        "/contact/external_id",
        "/variables/a~1b~0c",
        "/metadata",
        "/test"
      ])
      assert.strictEqual(errors[5].message, "metadata must be at most 8192 bytes of JSON, and is 8203")
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("list at most 20 problems", () =>
    Effect.gen(function*() {
      const variables = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`v${n}`, null]))
      const error = yield* post(yield* Fixture.startCall({ variables }))
      assert.deepStrictEqual([error.code, error.errors.length], ["invalid_request", 20])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("name what the engine finds wrong in wire names too", () =>
    Effect.gen(function*() {
      const error = yield* post(yield* Fixture.startCall({ phone_number: "+1415555" }))
      assert.deepStrictEqual([error.status, error.code, error.param, error.location], [
        400,
        "invalid_request",
        "/phone_number",
        "body"
      ])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("report a missing agent, missing variables and a number that is never called with 422", () =>
    Effect.gen(function*() {
      const agent = yield* post(yield* Fixture.startCall({ agent_id: "00000000-0000-4000-8000-999999999999" }))
      assert.deepStrictEqual([agent.status, agent.code, agent.param], [422, "agent_not_found", "/agent_id"])
      const missing = yield* post(yield* Fixture.startCall({ variables: {} }))
      assert.deepStrictEqual([missing.status, missing.code, missing.missing], [422, "missing_variables", ["topic"]])
      const premium = yield* post(yield* Fixture.startCall({ phone_number: "+19005550100" }))
      assert.deepStrictEqual([premium.status, premium.code, premium.param], [
        422,
        "number_not_allowed",
        "/phone_number"
      ])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("report a number with a queued call with 409, and name that call", () =>
    Effect.gen(function*() {
      const { body: { id } } = yield* Fixture.send("/v1/calls", { body: yield* Fixture.startCall() })
      const error = yield* post(yield* Fixture.startCall())
      assert.deepStrictEqual([error.status, error.code, error.call_id], [409, "call_already_queued", id])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("report an Idempotency-Key that was used with another body with 422, and name its call", () =>
    Effect.gen(function*() {
      const headers = { "idempotency-key": "k" }
      const { body: { id } } = yield* Fixture.send("/v1/calls", { body: yield* Fixture.startCall(), headers })
      const error = yield* post(yield* Fixture.startCall({ test: true }), headers)
      assert.deepStrictEqual([error.status, error.code, error.call_id], [422, "idempotency_key_reused", id])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect.each(["", "x".repeat(256), "é", "a\tb"])("refuse the Idempotency-Key %j", (key) =>
    Effect.gen(function*() {
      const error = yield* post(yield* Fixture.startCall(), { "idempotency-key": key })
      assert.deepStrictEqual([error.status, error.code, error.param, error.location], [
        400,
        "invalid_request",
        "/idempotency-key",
        "header"
      ])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("distinguish a malformed id from an unknown one", () =>
    Effect.gen(function*() {
      const get = (id: string) => Effect.map(Fixture.send(`/v1/calls/${id}`), errorOf)
      for (const id of ["nope", "batch_1", "call_", "call_%2F", "call_1%20", "CALL_1"]) {
        const { code, location, param, status } = yield* get(id)
        assert.deepStrictEqual([status, code, param, location], [400, "invalid_request", "/id", "path"], id)
      }
      for (const id of ["call_1", "call_01K5N3Z8Q4VXW2M7T9R6HBCDEF", `call_${"a".repeat(5000)}`]) {
        const { code, status } = yield* get(id)
        assert.deepStrictEqual([status, code], [404, "not_found"])
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("refuse query names that a path does not take", () =>
    Effect.gen(function*() {
      for (
        const path of [
          "/v1/agents?per_page=5",
          "/v1/calls?offset=5",
          "/v1/calls/call_1?expand=outcome",
          "/v1/webhook?x",
          "/v1/calls/call_1/recording?utm=1"
        ]
      ) {
        const { code, errors, location, status } = errorOf(yield* Fixture.send(path))
        assert.deepStrictEqual([status, code, location], [400, "invalid_request", "query"], path)
        assert.match(
          errors[0].message,
          /is not a known query parameter of this path; (known are|did you mean|it takes none)/
        )
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("name what a filter can be", () =>
    Effect.gen(function*() {
      const { errors } = errorOf(yield* Fixture.send("/v1/events?type=x&created_after=x&limit=x&cursor=x&call_id=x"))
      assert.deepStrictEqual(errors.map(({ message }: { readonly message: string }) => message), [
        "limit must be a whole number of at least 1",
        "cursor is not a valid cursor; use the next_cursor of a page",
        "created_after must be an ISO-8601 timestamp with Z or an offset, such as 2026-03-02T10:00:00Z",
        "type must be one of call.completed, call.not_connected, call.dialing, call.in_progress, call.outcome_updated, batch.completed",
        "call_id must be an id that begins with \"call_\""
      ])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("report an endpoint address that is not allowed", () =>
    Effect.gen(function*() {
      const error = errorOf(yield* Fixture.send("/v1/webhook", { method: "PUT", body: { url: "nope" } }))
      assert.deepStrictEqual([error.status, error.code, error.param], [400, "webhook_url_not_allowed", "/url"])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("list the methods that a path supports", () =>
    Effect.gen(function*() {
      const allow = (path: string, method: string) =>
        Effect.map(
          Fixture.send(path, { method, key: "" }),
          (answer) => [errorOf(answer).code, answer.headers.get("allow")]
        )
      assert.deepStrictEqual(yield* allow("/v1/calls", "OPTIONS"), ["method_not_allowed", "POST, GET, HEAD"])
      assert.deepStrictEqual(yield* allow("/v1/calls/call_1/cancel", "GET"), ["method_not_allowed", "POST"])
      assert.deepStrictEqual(yield* allow("/v1/calls/call_1", "PATCH"), ["method_not_allowed", "GET, HEAD"])
      assert.deepStrictEqual(yield* allow("/v1/webhook", "POST"), ["method_not_allowed", "PUT, GET, DELETE, HEAD"])
      assert.deepStrictEqual(yield* allow("/nope", "POST"), ["route_not_found", null])
      for (const method of ["PROPFIND", "PURGE", "QUERY", "NONSENSE"]) {
        assert.deepStrictEqual(yield* allow("/v1/calls", method), ["method_not_allowed", "POST, GET, HEAD"])
        assert.deepStrictEqual(yield* allow("/openapi.json", method), ["method_not_allowed", "GET, HEAD"])
        assert.deepStrictEqual(yield* allow("/nope", method), ["route_not_found", null])
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("come in the documented order: route, key, scope, media type and size, JSON, fields", () =>
    Effect.gen(function*() {
      const key = yield* Fixture.key("calls:read")
      const wrong = { raw: " ".repeat(300_000), headers: { "content-type": "text/plain", "idempotency-key": "" } }
      const code = (sent: Fixture.Sent, path = "/v1/calls?x=1") =>
        Effect.map(Fixture.send(path, sent), (_) => errorOf(_).code)
      assert.strictEqual(yield* code({ ...wrong, key: "nope" }, "/v1/nope"), "route_not_found")
      assert.strictEqual(yield* code({ ...wrong, key: "nope" }), "unauthenticated")
      assert.strictEqual(yield* code({ ...wrong, key }), "insufficient_scope")
      assert.strictEqual(yield* code(wrong), "unsupported_media_type")
      assert.strictEqual(yield* code({ ...wrong, headers: { "idempotency-key": "" } }), "payload_too_large")
      assert.strictEqual(yield* code({ raw: "{", headers: { "idempotency-key": "" } }), "invalid_json")
      assert.strictEqual(yield* code({ raw: "{}", headers: { "idempotency-key": "" } }), "invalid_request")
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("name the scopes of which one is required", () =>
    Effect.gen(function*() {
      const answer = yield* Fixture.send("/v1/agents", { key: yield* Fixture.key("webhooks:manage") })
      const { code, required_scopes, status } = errorOf(answer)
      assert.deepStrictEqual([status, code, required_scopes], [403, "insufficient_scope", [
        "calls:read",
        "calls:write",
        "agents:manage"
      ]])
      assert.strictEqual(
        answer.headers.get("www-authenticate"),
        "Bearer error=\"insufficient_scope\", scope=\"calls:read calls:write agents:manage\""
      )
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("trouble on our side", () => {
  const storage = (overrides: (memory: Storage.Storage["Service"]) => Partial<Storage.Storage["Service"]>) =>
    Layer.effect(
      Storage.Storage,
      Effect.map(Storage.Storage, (memory) => ({ ...memory, ...overrides(memory) }))
    ).pipe(Layer.provide(MemoryStorage.layer))
  const away = () => Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "password=hunter2" }))

  it.effect("is 503 with Retry-After while storage is away, for the key as for the rest", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/agents", "/v1/webhook"]) {
        const answer = yield* Fixture.send(path)
        const { code, message, status } = errorOf(answer)
        assert.deepStrictEqual([status, code, answer.headers.get("retry-after")], [503, "unavailable", "5"])
        assert.notInclude(message, "hunter2")
      }
    }).pipe(
      Effect.provide(
        Fixture.layer({
          storage: storage(({ agents, webhooks }) => ({
            agents: { ...agents, list: away },
            webhooks: { ...webhooks, get: away }
          }))
        })
      )
    ))

  it.effect("is reported by /readyz and not by /healthz", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Fixture.send("/healthz", { key: "" })).status, 200)
      const answer = yield* Fixture.send("/readyz", { key: "" })
      assert.deepStrictEqual([answer.status, errorOf(answer).code], [503, "unavailable"])
    }).pipe(
      Effect.provide(Fixture.layer({ storage: storage(({ stats }) => ({ stats: { ...stats, state: away() } })) }))
    ))

  it.effect("is 503 and not 401 while keys cannot be looked up", () =>
    Effect.gen(function*() {
      assert.strictEqual(errorOf(yield* Fixture.send("/v1/agents")).code, "unavailable")
    }).pipe(
      Effect.provide(Fixture.layer({ storage: storage(({ access }) => ({ access: { ...access, admit: away } })) }))
    ))

  it.effect("is 500 without a word about the fault, which is logged with the request's id", () => {
    const logs: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatStructured, (line) => void logs.push(JSON.stringify(line)))])
    const broken = storage(({ agents }) => ({ agents: { ...agents, list: () => Effect.die(new Error("hunter2")) } }))
    return Effect.gen(function*() {
      const { code, message, status, ...rest } = errorOf(yield* Fixture.send("/v1/agents"))
      assert.deepStrictEqual([status, code, rest], [500, "internal_error", {}])
      assert.notInclude(message, "hunter2")
      assert.strictEqual(logs.length, 1)
      assert.match(logs.join(), /hunter2.*req_/)
    }).pipe(Effect.provide(Fixture.layer({ storage: broken }).pipe(Layer.provideMerge(logger))))
  })

  it.effect("leaves the handler at work for the next request", () =>
    Effect.gen(function*() {
      const handler = yield* WebHandler
      const gone = AbortSignal.abort()
      yield* Effect.promise(() =>
        Promise.race([handler(new Request("https://x.test/healthz", { signal: gone })), Promise.resolve()])
      )
      assert.strictEqual((yield* Fixture.send("/healthz")).status, 200)
    }).pipe(Effect.provide(Fixture.layer())))
})
