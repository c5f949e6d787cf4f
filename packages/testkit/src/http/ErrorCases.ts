/** Errors over HTTP (spec §5, §7): the one envelope on every path, and the order of checks. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { callRequest, type Cases, get, post, refusal, send, type Sent, startedCall, Target } from "./Target.ts"

export const cases: Cases = {
  "needs no key for paths without account data": Effect.gen(function*() {
    const open = (path: string) => get(path, { key: "" })
    const { body: health } = yield* open("/healthz")
    assert.strictEqual(health["status"], "ok")
    assert.isNotEmpty(health["time_zones"].version)
    assert.deepStrictEqual((yield* open("/readyz")).body, { status: "ready" })
    assert.match((yield* open("/openapi.json")).body["openapi"], /^3\./)
  }),

  "accepts the key in either header, and in both if they agree": Effect.gen(function*() {
    const { key } = yield* Target
    const status = (headers: Record<string, string>) =>
      Effect.map(get("/v1/agents", { key: "", headers }), ({ status }) => status)
    assert.strictEqual(yield* status({ "x-api-key": key }), 200)
    assert.strictEqual(yield* status({ authorization: `Bearer ${key}` }), 200)
    assert.strictEqual(yield* status({ authorization: `bearer ${key}`, "x-api-key": key }), 200)
    assert.strictEqual(yield* status({ authorization: `Bearer ${key}x`, "x-api-key": key }), 401)
  }),

  "refuses a request without a key or with a wrong one, and says how to send it": Effect.gen(function*() {
    const { key } = yield* Target
    const missing = yield* get("/v1/agents", { key: "" })
    assert.deepStrictEqual(refusal(missing), [401, "unauthenticated"])
    assert.strictEqual(missing.headers.get("www-authenticate"), "Bearer")
    for (const wrong of ["nope", `${key.slice(0, -1)}!`, `vak_call_${"0".repeat(38)}`]) {
      const invalid = yield* get("/v1/agents", { key: wrong })
      assert.deepStrictEqual(refusal(invalid), [401, "unauthenticated"])
      assert.strictEqual(invalid.headers.get("www-authenticate"), "Bearer error=\"invalid_token\"")
    }
  }),

  "reports the remaining requests in every response to a key": Effect.gen(function*() {
    const left = (answer: { readonly headers: Headers }) => {
      assert.strictEqual(answer.headers.get("ratelimit-policy"), "\"default\";q=300;w=60")
      return Number(/^"default";r=(\d+);t=\d+$/.exec(answer.headers.get("ratelimit") ?? "")?.[1])
    }
    const first = left(yield* get("/v1/agents"))
    assert.isAtMost(left(yield* get("/v1/calls/call_1")), first)
    assert.isAtLeast(left(yield* post("/v1/calls", { raw: "{" })), 0)
    assert.isNull((yield* get("/v1/agents", { key: "" })).headers.get("ratelimit"))
  }),

  "refuses two credentials in one header": Effect.gen(function*() {
    const { key } = yield* Target
    for (const other of ["x", key]) {
      const answer = yield* get("/v1/agents", { key: "", headers: { authorization: `Bearer ${key}, Bearer ${other}` } })
      assert.deepStrictEqual(refusal(answer), [401, "unauthenticated"])
    }
  }),

  "names the path of the OpenAPI document for unknown paths": Effect.gen(function*() {
    const { baseUrl } = yield* Target
    const { message } = (yield* get("/v1/nope", { key: "" })).body["error"]
    const path = /GET (\/\S*)/.exec(message)?.[1]
    assert.strictEqual(path, `${new URL(baseUrl).pathname.replace(/\/$/, "")}/openapi.json`)
  }),

  "answers 404 for unknown paths and 405 with Allow for wrong methods": Effect.gen(function*() {
    assert.deepStrictEqual(refusal(yield* get("/v1/nope", { key: "" })), [404, "route_not_found"])
    const allow = Effect.fnUntraced(function*(method: string, path: string) {
      const answer = yield* send(method, path, { key: "" })
      return [...refusal(answer), answer.headers.get("allow")]
    })
    assert.deepStrictEqual(yield* allow("DELETE", "/v1/calls"), [405, "method_not_allowed", "POST, GET, HEAD"])
    assert.deepStrictEqual(yield* allow("GET", "/v1/calls/call_1/cancel"), [405, "method_not_allowed", "POST"])
    assert.deepStrictEqual(yield* allow("PUT", "/v1/batches"), [405, "method_not_allowed", "POST, GET, HEAD"])
  }),

  "answers HEAD as GET, without the body": Effect.gen(function*() {
    const { id } = yield* startedCall()
    const answer = yield* send("HEAD", `/v1/calls/${id}`)
    assert.deepStrictEqual([answer.status, answer.body], [200, {}])
  }),

  "answers 404 for ids of the right form, of any length, and 400 for others": Effect.gen(function*() {
    const prefixes = [
      ["/v1/calls/", "call_"],
      ["/v1/batches/", "batch_"],
      ["/v1/events/", "evt_"],
      ["/v1/webhook/deliveries/", "dlv_"]
    ] as const
    for (const [path, prefix] of prefixes) {
      for (const id of [`${prefix}1`, `${prefix}01K5N3Z8Q4VXW2M7T9R6HBCDEF`, prefix + "a".repeat(2000)]) {
        assert.deepStrictEqual(refusal(yield* get(path + id)), [404, "not_found"], id)
      }
      for (const id of ["nope", prefix, `${prefix}%20`, `x${prefix}1`]) {
        assert.deepStrictEqual(refusal(yield* get(path + id), "param", "location"), [
          400,
          "invalid_request",
          "/id",
          "path"
        ], id)
      }
    }
  }),

  "refuses bodies that are not JSON objects, and other media types": Effect.gen(function*() {
    for (const path of ["/v1/calls", "/v1/batches"]) {
      for (const raw of ["{", "[]", "null", "\"{}\""]) {
        assert.deepStrictEqual(refusal(yield* post(path, { raw })), [400, "invalid_json"], raw)
      }
      const typed = yield* post(path, { raw: "{}", headers: { "content-type": "text/plain" } })
      assert.deepStrictEqual(refusal(typed), [415, "unsupported_media_type"])
    }
  }),

  "accepts only JSON in UTF-8, whatever its media type says": Effect.gen(function*() {
    const raw = JSON.stringify(yield* callRequest())
    const sent = (mediaType: string) => post("/v1/calls", { raw, headers: { "content-type": mediaType } })
    for (const charset of ["latin1", "utf-8; charset=\"latin1\""]) {
      const answer = yield* sent(`application/json; charset=${charset}`)
      assert.deepStrictEqual(refusal(answer), [415, "unsupported_media_type"], charset)
    }
    assert.strictEqual((yield* sent("application/json; version=1; charset=\"UTF-8\"")).status, 201)
  }),

  "reports all problems of a body, by JSON Pointers": Effect.gen(function*() {
    const body = yield* callRequest({
      phone_number: 5,
      contact: { email: "nobody", external_id: "x".repeat(256) },
      variables: { "a/b~c": 1 },
      metadata: { text: "x".repeat(8192) },
      test: "yes"
    })
    const answer = yield* post("/v1/calls", { body })
    assert.deepStrictEqual(refusal(answer, "location"), [400, "invalid_request", "body"])
    const params = answer.body["error"].errors.map(({ param }: { readonly param: string }) => param)
    assert.sameMembers(params, [
      "/phone_number",
      "/contact/email",
      "/contact/external_id",
      "/variables/a~1b~0c",
      "/metadata",
      "/test"
    ])
    assert.strictEqual(answer.body["error"].param, params[0])
  }),

  "refuses fields that it does not know, and names the field that was probably meant": Effect.gen(function*() {
    const call = yield* callRequest()
    const refused = Effect.fnUntraced(
      function*(method: string, path: string, body: unknown, param: string, meant: string) {
        const answer = yield* send(method, path, { body })
        assert.deepStrictEqual(
          refusal(answer, "location"),
          [400, "invalid_request", "body"],
          `${method} ${path} ${param}`
        )
        const reported = answer.body["error"].errors.find((error: { readonly param: string }) => error.param === param)
        const name = param.slice(1).replaceAll("/", ".")
        assert.strictEqual(reported?.message, `${name} is not a known field; did you mean ${meant}?`)
      }
    )
    yield* refused("POST", "/v1/calls", { ...call, notBefore: "2030-01-01T00:00:00Z" }, "/notBefore", "not_before")
    yield* refused("POST", "/v1/calls", { ...call, Test: true }, "/Test", "test")
    yield* refused(
      "POST",
      "/v1/calls",
      { ...call, contact: { timezone: "Europe/Paris" } },
      "/contact/timezone",
      "time_zone"
    )
    yield* refused("POST", "/v1/calls", { ...call, expires: null }, "/expires", "expires_at")
    yield* refused("POST", "/v1/calls/preview", { ...call, notbefore: "2030-01-01" }, "/notbefore", "not_before")
    yield* refused("POST", "/v1/batches", { calls: [call], agentId: call.agent_id }, "/agentId", "agent_id")
    yield* refused("PUT", "/v1/webhook", { url: "https://example.com", enable: false }, "/enable", "enabled")
    yield* refused("POST", "/v1/webhook/rotate-secret", { grace_period: 0 }, "/grace_period", "grace_period_seconds")
    yield* refused("POST", "/v1/webhook/recover", { since: "2030-01-01T00:00:00Z", untill: null }, "/untill", "until")
    yield* refused("POST", "/v1/do_not_call", { phone_number: ["+14155550100"] }, "/phone_number", "phone_numbers")
  }),

  "accepts any names in metadata and in variables that the agent does not use": Effect.gen(function*() {
    const metadata = { Test: true, nested: { not_before: 1 } }
    const body = yield* callRequest({ metadata, test: true })
    const answer = yield* post("/v1/calls", { body: { ...body, variables: { ...body.variables, notBefore: "x" } } })
    assert.strictEqual(answer.status, 201)
    assert.deepStrictEqual(answer.body["metadata"], metadata)
  }),

  "accepts a request for a call as a preview": Effect.gen(function*() {
    const contact = { name: "Ada", email: "ada@example.com", external_id: "7", time_zone: "Europe/Paris" }
    const body = yield* callRequest({ contact, metadata: { a: 1 }, test: false, expires_at: null })
    assert.strictEqual((yield* post("/v1/calls/preview", { body })).status, 200)
  }),

  "refuses an invalid Idempotency-Key": Effect.gen(function*() {
    const body = yield* callRequest()
    const headers = { "idempotency-key": "x".repeat(256) }
    for (const [path, sent] of [["/v1/calls", body], ["/v1/batches", { calls: [body] }]] as const) {
      assert.deepStrictEqual(refusal(yield* post(path, { body: sent, headers }), "param", "location"), [
        400,
        "invalid_request",
        "/idempotency-key",
        "header"
      ])
    }
  }),

  "checks route, key, media type, JSON, fields, idempotency, account and queue in this order": Effect.gen(function*() {
    const key = { "idempotency-key": yield* callRequest().pipe(Effect.map(({ phone_number }) => phone_number)) }
    const waiting = yield* startedCall()
    const code = (path: string, sent: Sent) => Effect.map(post(path, sent), ({ body }) => body["error"]?.code)
    const text = { "content-type": "text/plain" }
    const unknown = { agent_id: "00000000-0000-4000-8000-00000000dead" }
    yield* post("/v1/calls", { body: yield* callRequest(), headers: key })
    assert.strictEqual(yield* code("/v1/nope", { raw: "{", key: "nope", headers: text }), "route_not_found")
    assert.strictEqual(yield* code("/v1/calls?x=1", { raw: "{", key: "nope", headers: text }), "unauthenticated")
    assert.strictEqual(yield* code("/v1/calls?x=1", { raw: "{", headers: text }), "unsupported_media_type")
    assert.strictEqual(yield* code("/v1/calls?x=1", { raw: "{" }), "invalid_json")
    assert.strictEqual(yield* code("/v1/calls", { raw: "{}", headers: key }), "invalid_request")
    const other = yield* callRequest({ ...unknown, phone_number: waiting["phone_number"] })
    assert.strictEqual(yield* code("/v1/calls", { body: other, headers: key }), "idempotency_key_reused")
    assert.strictEqual(yield* code("/v1/calls", { body: other }), "agent_not_found")
    const right = yield* callRequest({ phone_number: waiting["phone_number"] })
    assert.strictEqual(yield* code("/v1/calls", { body: right }), "call_already_queued")
  })
}
