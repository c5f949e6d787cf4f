import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/Api.ts"
import * as Fixture from "../Fixture.ts"

/** Every endpoint that may change something, with ids of nothing. */
const endpoints = (() => {
  const found: Array<readonly [method: string, path: string]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      if (method !== "GET") found.push([method, path.replace(/:[a-z_]+/, "x")])
    }
  })
  return found
})()

/** The endpoints that take no body, or may do without. */
const without: ReadonlyArray<readonly [method: string, path: string, id?: string]> = [
  ["POST", "/v1/webhook/test"],
  ["POST", "/v1/webhook/rotate-secret"],
  ["DELETE", "/v1/webhook"],
  ["POST", "/v1/events/evt_1/redeliver"],
  ["POST", "/v1/calls/call_1/cancel"],
  ["POST", "/v1/batches/batch_1/cancel"],
  ["DELETE", "/v1/do_not_call/+14155550100"]
]

describe("a body with a field where there is none", () => {
  it.effect.each(endpoints)("is refused by %s %s", ([method, path]) =>
    Effect.gen(function*() {
      const { code, errors } = Fixture.errorOf(yield* Fixture.send(path, { method, body: { foo: 1 } }))
      const params = (errors ?? []).map(({ param }: { readonly param: string }) => param)
      // Ids are read first.
      assert.isTrue(code === "invalid_request" && (params.includes("/foo") || path.includes("/x")), `${code} ${params}`)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect.each(without)(
    "is refused by %s %s and names the field, while an empty one is fine",
    ([method, path]) =>
      Effect.gen(function*() {
        const sent = (raw?: string) => Fixture.send(path, { method, ...(raw !== undefined && { raw }) })
        const { body: { error } } = yield* sent("{\"foo\":1}")
        assert.deepInclude(error, { code: "invalid_request", param: "/foo", location: "body" })
        assert.match(error.message, /^foo is not a known field/)
        for (const empty of [undefined, "", "{}", " {}\n"]) {
          const { body, status } = yield* sent(empty)
          assert.isTrue(status < 300 || status === 404, `${status} ${JSON.stringify(body)}`)
        }
      }).pipe(Effect.provide(Fixture.layer()))
  )

  it.effect("is refused when it is no object, not JSON or too large", () =>
    Effect.gen(function*() {
      const refused = (raw: string) => Effect.map(Fixture.send("/v1/webhook/test", { raw }), Fixture.errorOf)
      for (const raw of ["[]", "1", "foo=1", "{"]) {
        assert.deepInclude(yield* refused(raw), {
          status: 400,
          code: "invalid_json",
          message: "The request body must be empty, or an empty JSON object"
        })
      }
      assert.deepInclude(yield* refused(`{"a":"${"x".repeat(300_000)}"}`), { status: 413, code: "payload_too_large" })
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("is named in quotes when its name is empty", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/calls", "/v1/webhook/test"]) {
        const { errors } = Fixture.errorOf(yield* Fixture.send(path, { body: { "": 1 } }))
        const [unknown] = errors.filter(({ param }: { readonly param: string }) => param === "/")
        assert.match(unknown.message, /^"" is not a known field/)
      }
    }).pipe(Effect.provide(Fixture.layer())))
})
