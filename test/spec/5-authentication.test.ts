import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Redacted } from "effect"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

const bearer = (key: string) => ({ key: null, headers: { authorization: `Bearer ${key}` } })

describe("5 Authentication", () => {
  it.effect("accepts the key in X-API-Key, or as Authorization: Bearer, or the same in both", () =>
    Effect.gen(function*() {
      const { key } = yield* Spec.Api
      assert.match(key, /^vak_call_/)
      assert.strictEqual((yield* Spec.get("/v1/calls")).status, 200)
      assert.strictEqual((yield* Spec.get("/v1/calls", bearer(key))).status, 200)
      assert.strictEqual((yield* Spec.get("/v1/calls", { ...bearer(key), key })).status, 200)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("answers 401 to a key that is missing, mistyped, unknown, or another in each header", () =>
    Effect.gen(function*() {
      const { key, makeKey } = yield* Spec.Api
      const other = yield* makeKey(["calls:read"])
      const wrong: ReadonlyArray<Spec.RequestOptions> = [
        { key: null },
        { key: "" },
        { key: "vak_call_nonsense" },
        { key: `${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}` },
        { ...bearer(other), key }
      ]
      for (const options of wrong) {
        const answer = yield* Spec.get("/v1/calls", options)
        assert.deepStrictEqual(Spec.refusal(answer), [401, "unauthenticated"])
        assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/)
      }
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("answers 401 to a key that has expired or was revoked", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const apiKeys = yield* ApiKeys.ApiKeys
      const made = yield* apiKeys.create(accountId, {
        name: "short",
        scopes: ["calls:read"],
        expiresAt: DateTime.makeUnsafe(60_000)
      })
      const key = Redacted.value(made.secret)
      assert.strictEqual((yield* Spec.get("/v1/calls", { key })).status, 200)
      yield* TestEngine.advance("1 minute")
      assert.strictEqual((yield* Spec.get("/v1/calls", { key })).status, 401)
      const { key: record, secret } = yield* apiKeys.create(accountId, { name: "r", scopes: ["calls:read"] })
      yield* apiKeys.revoke(accountId, record.id)
      assert.strictEqual((yield* Spec.get("/v1/calls", { key: Redacted.value(secret) })).status, 401)
    }).pipe(Effect.provide(Spec.layer())))

  const scoped: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["POST", "/v1/calls", ["calls:write"]],
    ["POST", "/v1/calls/call_1/cancel", ["calls:write"]],
    ["POST", "/v1/batches", ["calls:write"]],
    ["POST", "/v1/batches/batch_1/cancel", ["calls:write"]],
    ["GET", "/v1/calls", ["calls:read"]],
    ["GET", "/v1/calls/call_1", ["calls:read"]],
    ["GET", "/v1/batches", ["calls:read"]],
    ["GET", "/v1/batches/batch_1", ["calls:read"]],
    ["GET", "/v1/agents", ["calls:read", "calls:write", "agents:manage"]],
    ["POST", "/v1/agents", ["agents:manage"]],
    ["PUT", "/v1/agents/00000000-0000-4000-8000-00000000dead", ["agents:manage"]],
    ["DELETE", "/v1/agents/00000000-0000-4000-8000-00000000dead", ["agents:manage"]],
    ["GET", "/v1/webhook", ["webhooks:manage"]],
    ["PUT", "/v1/webhook", ["webhooks:manage"]],
    ["DELETE", "/v1/webhook", ["webhooks:manage"]],
    ["POST", "/v1/webhook/rotate-secret", ["webhooks:manage"]],
    ["POST", "/v1/webhook/test", ["webhooks:manage"]],
    ["POST", "/v1/webhook/recover", ["webhooks:manage"]],
    ["GET", "/v1/webhook/deliveries", ["webhooks:manage"]],
    ["GET", "/v1/calls/call_1/explanation", ["calls:read"]],
    ["POST", "/v1/calls/preview", ["calls:read"]],
    ["GET", "/v1/do_not_call", ["do_not_call:manage"]],
    ["POST", "/v1/do_not_call", ["do_not_call:manage"]],
    ["DELETE", "/v1/do_not_call/+14155550100", ["do_not_call:manage"]]
  ]
  const scopes = ["calls:write", "calls:read", "webhooks:manage", "do_not_call:manage", "agents:manage"] as const
  for (const [method, path, allowed] of scoped) {
    it.effect(`${method} ${path} accepts a key with ${allowed.join(" or ")}, and answers 403 to any other`, () =>
      Effect.gen(function*() {
        const { makeKey } = yield* Spec.Api
        for (const scope of scopes) {
          const answer = yield* Spec.request(method, path, { key: yield* makeKey([scope]) })
          if (allowed.some((one) => one === scope)) {
            assert.notStrictEqual(answer.status, 403, scope)
            continue
          }
          assert.deepStrictEqual(Spec.refusal(answer), [403, "insufficient_scope"], scope)
          assert.deepStrictEqual(answer.body.error.required_scopes, allowed)
        }
      }).pipe(Effect.provide(Spec.layer())))
  }

  const holdCalls = [
    ["GET", "/v1/events", 200],
    ["GET", "/v1/events/feed", 200],
    ["GET", "/v1/events/evt_1", 404],
    ["POST", "/v1/events/evt_1/redeliver", 404]
  ] as const
  it.effect.each(holdCalls)(
    "%s %s needs calls:read beside webhooks:manage, as events hold calls",
    ([method, path, ok]) =>
      Effect.gen(function*() {
        const { makeKey } = yield* Spec.Api
        const status = (...given: ReadonlyArray<(typeof scopes)[number]>) =>
          Effect.flatMap(
            makeKey(given),
            (key) => Effect.map(Spec.request(method, path, { key }), ({ status }) => status)
          )
        assert.strictEqual(yield* status("webhooks:manage"), 403)
        assert.strictEqual(yield* status("calls:read"), 403)
        assert.strictEqual(yield* status("calls:read", "webhooks:manage"), ok)
      }).pipe(Effect.provide(Spec.layer()))
  )

  it.effect("needs no key for the OpenAPI document and for its health", () =>
    Effect.gen(function*() {
      for (const path of ["/openapi.json", "/healthz"]) {
        assert.strictEqual((yield* Spec.get(path, { key: null })).status, 200, path)
      }
    }).pipe(Effect.provide(Spec.layer())))
})
