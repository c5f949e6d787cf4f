import { assert, it } from "@effect/vitest"
import { Accounts } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

const started = (more: object) => Effect.flatMap(Spec.call(more), (body) => Spec.post("/v1/calls", body))

describe("7 Errors", () => {
  const answers: ReadonlyArray<
    readonly [string, Effect.Effect<Spec.Answer, unknown, Spec.Api | TestEngine.Tenant>, number, string]
  > = [
    ["malformed JSON", Spec.post("/v1/calls", "{oops"), 400, "invalid_json"],
    [
      "a wrong media type",
      Spec.post("/v1/calls", "a=1", { headers: { "content-type": "text/plain" } }),
      415,
      "unsupported_media_type"
    ],
    ["a body that is too large", Spec.post("/v1/calls", { x: "x".repeat(300_000) }), 413, "payload_too_large"],
    ["an unknown route", Spec.get("/v1/nothing"), 404, "route_not_found"],
    ["a wrong method", Spec.request("PATCH", "/v1/calls"), 405, "method_not_allowed"],
    ["a wrong field", started({ phone_number: 7 }), 400, "invalid_request"],
    ["an unknown agent", started({ agent_id: "00000000-0000-4000-8000-00000000dead" }), 422, "agent_not_found"],
    ["a missing variable", started({ variables: {} }), 422, "missing_variables"],
    ["a premium number", started({ phone_number: "+19002345678" }), 422, "number_not_allowed"],
    [
      "a number on the do-not-call list",
      Effect.andThen(Spec.post("/v1/do_not_call", { phone_numbers: ["+14155550100"] }), started({})),
      422,
      "number_do_not_call"
    ],
    ["an unknown id", Spec.get("/v1/calls/call_x"), 404, "not_found"],
    ["no key", Spec.get("/v1/calls", { key: null }), 401, "unauthenticated"]
  ]
  for (const [name, answer, status, code] of answers) {
    it.effect(`${name} is answered by ${status} ${code}, in the one shape`, () =>
      Effect.gen(function*() {
        const given = yield* answer
        assert.deepStrictEqual(Spec.refusal(given), [status, code])
        const { error } = given.body
        assert.isNotEmpty(error.message)
        assert.match(error.request_id, /^req_/)
        assert.strictEqual(given.headers.get("x-request-id"), error.request_id)
      }).pipe(Effect.provide(Spec.layer())))
  }

  it.effect("names the field and what to do, in a JSON Pointer, for every problem at once", () =>
    Effect.gen(function*() {
      const { body } = yield* started({
        phone_number: "x",
        contact: { email: "nobody" },
        variables: { topic: ["x"] },
        metadata: 5
      })
      const params = body.error.errors.map(({ param }: { readonly param: string }) => param)
      assert.sameMembers(params, ["/phone_number", "/contact/email", "/variables/topic", "/metadata"])
      const named = yield* started({ variables: { "a/b~c": 1 } })
      assert.strictEqual(named.body.error.param, "/variables/a~1b~0c")
      assert.strictEqual(body.error.location, "body")
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("every response carries X-Request-Id, another each time, and is not to be cached", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* Spec.get("/v1/calls"), yield* Spec.get("/v1/calls")]
      assert.match(one.headers.get("x-request-id") ?? "", /^req_/)
      assert.notStrictEqual(one.headers.get("x-request-id"), other.headers.get("x-request-id"))
      assert.strictEqual(one.headers.get("cache-control"), "no-store")
      assert.isNull(one.headers.get("access-control-allow-origin"))
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("checks key, rate, scope, media type, JSON, fields, idempotency, agent and queue in this order", () =>
    Effect.gen(function*() {
      const { makeKey } = yield* Spec.Api
      const reader = yield* makeKey(["calls:read"])
      const text = { headers: { "content-type": "text/plain" } }
      assert.strictEqual((yield* Spec.post("/v1/calls", "{", { key: null, ...text })).status, 401)
      assert.strictEqual((yield* Spec.post("/v1/calls", "{", { key: reader, ...text })).status, 403)
      assert.strictEqual((yield* Spec.post("/v1/calls", "{", text)).status, 415)
      assert.strictEqual((yield* Spec.post("/v1/calls", "{")).body.error.code, "invalid_json")
      const key = { headers: { "idempotency-key": "k" } }
      yield* Spec.start({}, key)
      const elsewhere = yield* Spec.call({ agent_id: "00000000-0000-4000-8000-00000000dead" })
      assert.strictEqual((yield* Spec.post("/v1/calls", { ...elsewhere, phone_number: 1 }, key)).status, 400)
      assert.strictEqual((yield* Spec.post("/v1/calls", elsewhere, key)).body.error.code, "idempotency_key_reused")
      assert.strictEqual((yield* Spec.post("/v1/calls", elsewhere)).body.error.code, "agent_not_found")
      assert.strictEqual((yield* started({})).body.error.code, "call_already_queued")
    }).pipe(Effect.provide(Spec.layer())))
})

describe("8 Limits", () => {
  it.effect("300 requests per minute and key: the next is 429 rate_limited, and Retry-After says for how long", () =>
    Effect.gen(function*() {
      const { makeKey } = yield* Spec.Api
      const key = yield* makeKey(["calls:read"])
      const read = Spec.get("/v1/agents", { key })
      for (let n = 0; n < 300; n++) {
        const { headers, status } = yield* read
        assert.strictEqual(status, 200)
        if (n === 0) {
          assert.strictEqual(headers.get("ratelimit-policy"), "\"default\";q=300;w=60")
          assert.strictEqual(headers.get("ratelimit"), "\"default\";r=299;t=60")
        }
      }
      const refused = yield* read
      assert.deepStrictEqual(Spec.refusal(refused), [429, "rate_limited"])
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      assert.strictEqual((yield* Spec.get("/v1/agents")).status, 200)
      yield* TestEngine.advance("59 seconds")
      assert.strictEqual((yield* read).status, 429)
      yield* TestEngine.advance("1 second")
      assert.strictEqual((yield* read).status, 200)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("counts requests, not calls: a batch is one, and so is a page of calls", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const calls = Array.from({ length: 400 }, (_, n) => ({ phone_number: `+1415555${String(n).padStart(4, "0")}` }))
      const started = yield* Spec.post("/v1/batches", { agent_id: agentId, calls })
      assert.deepStrictEqual([started.status, started.headers.get("ratelimit")], [201, "\"default\";r=299;t=60"])
      const listed = yield* Spec.get("/v1/calls?limit=100")
      assert.deepStrictEqual([listed.body.data.length, listed.headers.get("ratelimit")], [
        100,
        "\"default\";r=298;t=60"
      ])
    }).pipe(Effect.provide(Spec.layer({ agent: { script: "Hello" } }))))

  const limited = (max: number) => ({ ...Factories.openPolicy, numberLimits: [{ max, windowSeconds: 86_400 }] })

  it.effect("a number that was called as often as is allowed: 409 number_limit_reached, and retry_at says until when", () =>
    Effect.gen(function*() {
      yield* Spec.start()
      yield* TestEngine.advance("1 hour")
      const refused = yield* started({})
      assert.deepStrictEqual(Spec.refusal(refused), [409, "number_limit_reached"])
      assert.strictEqual(refused.body.error.retry_at, "1970-01-02T00:00:00.000Z")
      assert.strictEqual((yield* started({ phone_number: "+14155550101" })).status, 201)
      yield* TestEngine.advance("23 hours")
      assert.strictEqual((yield* started({})).status, 201)
    }).pipe(Effect.provide(Spec.layer({ policy: limited(1) }))))

  it.effect("a number's limit is looked at after its waiting call, and holds that call while it lasts", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const accounts = yield* Accounts.Accounts
      yield* Spec.start()
      yield* TestEngine.advance("1 hour")
      const waiting = yield* Spec.start({ not_before: "1970-01-01T02:00:00Z" })
      yield* accounts.set(accountId, { policy: limited(1) })
      assert.deepStrictEqual(Spec.refusal(yield* started({})), [409, "call_already_queued"])
      yield* TestEngine.advance("2 hours")
      const { body } = yield* Spec.get(`/v1/calls/${waiting.id}`)
      assert.deepInclude(body, { status_code: "number_limit", scheduled_for: "1970-01-02T00:00:00.000Z" })
    }).pipe(Effect.provide(Spec.layer({ policy: limited(2) }))))

  it.effect("metadata may have 8 KB as JSON, and no more", () =>
    Effect.gen(function*() {
      const room = 8192 - JSON.stringify({ m: "" }).length
      assert.strictEqual((yield* started({ metadata: { m: "x".repeat(room) } })).status, 201)
      const refused = yield* started({ phone_number: "+14155550101", metadata: { m: "x".repeat(room + 1) } })
      assert.deepStrictEqual(Spec.refusal(refused), [400, "invalid_request"])
      assert.strictEqual(refused.body.error.param, "/metadata")
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("variable keys and values keep to their rules", () =>
    Effect.gen(function*() {
      const variables = { topic: "x".repeat(500), A_1: true, "with spaces": 1.5, [`k${"x".repeat(39)}`]: "" }
      assert.strictEqual((yield* started({ variables })).status, 201)
      for (
        const wrong of [{ "1a": "" }, { a: "x".repeat(501) }, { a: null }, { a: {} }, { [`k${"x".repeat(40)}`]: 1 }]
      ) {
        const refused = yield* started({ phone_number: "+14155550101", variables: { topic: "x", ...wrong } })
        assert.deepStrictEqual(Spec.refusal(refused), [400, "invalid_request"], JSON.stringify(wrong).slice(0, 40))
      }
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("no more calls are dialed at once than the account has lines", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(["1", "2", "3"], (end) => Spec.start({ phone_number: `+1415555010${end}` }))
      yield* TestEngine.drain
      const { body } = yield* Spec.get("/v1/calls?status=dialing")
      assert.strictEqual(body.data.length, 2)
    }).pipe(Effect.provide(Spec.layer({ lines: 2 }))))
})

describe("9 Versioning", () => {
  it.effect("the version is the path prefix /v1: nothing answers without it, and requests with unknown fields are refused", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Spec.refusal(yield* Spec.get("/calls")), [404, "route_not_found"])
      const refused = Spec.refusal(yield* started({ some_day: { a: 1 } }))
      assert.deepStrictEqual(refused.slice(0, 2), [400, "invalid_request"])
    }).pipe(Effect.provide(Spec.layer())))
})
