import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { WebHandler } from "../../src/index.ts"
import * as OpenApiDocument from "../../src/openapi/OpenApiDocument.ts"
import * as Fixture from "../Fixture.ts"

const get = Effect.fnUntraced(function*(path: string, method = "GET") {
  const handler = yield* WebHandler
  return yield* Effect.promise(async () => {
    const response = await handler(new Request(`https://api.test${path}`, { method }))
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})

describe("the documentation that is served", () => {
  it.effect("is the very document, without a key", () =>
    Effect.gen(function*() {
      const { headers, status, text } = yield* get("/openapi.json")
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.match(headers.get("x-request-id") ?? "", /^req_/)
      assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(OpenApiDocument.make())))
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("is a page with every endpoint and type, without scripts and without requests to other hosts", () =>
    Effect.gen(function*() {
      const { headers, status, text } = yield* get("/docs")
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/html/)
      assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
      const document = OpenApiDocument.make()
      for (const path of Object.keys(document.paths)) assert.include(text, `<code>${path}</code>`)
      for (const name of Object.keys(document.components["schemas"] ?? {})) {
        if (!name.endsWith("List")) assert.include(text, `id="${name}"`)
      }
      assert.notMatch(text, /<script|<link|<img|src=|url\(|@import/)
      assert.isBelow(text.length, 220_000)
      for (const [, target = ""] of text.matchAll(/href="#([^"]+)"/g)) assert.include(text, `id="${target}"`)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("names the place in which its host has it", () =>
    Effect.gen(function*() {
      const handler = yield* WebHandler
      const text = yield* Effect.promise(async () =>
        (await handler(new Request("https://host.test/api/openapi.json?a=/openapi.json"))).text()
      )
      assert.strictEqual(JSON.parse(text).servers[0].url, "/api")
    }).pipe(Effect.provide(Layer.provide(WebHandler.layerAt({ basePath: "/api" }), TestEngine.layer()))))

  it.effect("answers HEAD, and 405 to every other method", () =>
    Effect.gen(function*() {
      for (const path of ["/docs", "/openapi.json"]) {
        assert.strictEqual((yield* get(path, "HEAD")).status, 200)
        const { headers, status, text } = yield* get(path, "POST")
        assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD"])
        assert.strictEqual(JSON.parse(text).error.code, "method_not_allowed")
      }
    }).pipe(Effect.provide(Fixture.layer())))
})
