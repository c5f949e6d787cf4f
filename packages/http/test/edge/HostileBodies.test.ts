import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Fixture from "../Fixture.ts"

const raw = (raw: NonNullable<Fixture.Sent["raw"]>, headers: Record<string, string> = {}) =>
  Effect.map(Fixture.send("/v1/calls", { raw, headers }), Fixture.errorOf)

describe("hostile bodies", () => {
  it.effect.each(["", "{", "[]", "null", "\"{}\"", "1", "{\"a\":1}{}", "{'a':1}", "undefined", "NaN"])(
    "refuses %s as JSON",
    (text) =>
      Effect.gen(function*() {
        const { code, status } = yield* raw(text)
        assert.deepStrictEqual([status, code], [400, "invalid_json"])
      }).pipe(Effect.provide(Fixture.layer()))
  )

  it.effect("refuses bytes that are not UTF-8", () =>
    Effect.gen(function*() {
      for (const bytes of [[0x7b, 0xff, 0x7d], [0xc0, 0xaf], [0xed, 0xa0, 0x80]]) {
        assert.strictEqual((yield* raw(new Uint8Array(bytes))).code, "invalid_json")
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("refuses bodies that are nested too deep, and counts no brackets inside strings", () =>
    Effect.gen(function*() {
      const nested = (depth: number) => `{"metadata":${"[".repeat(depth)}${"]".repeat(depth)}}`
      assert.strictEqual((yield* raw(nested(120_000))).code, "invalid_json")
      assert.strictEqual((yield* raw(nested(64))).code, "invalid_json")
      assert.strictEqual((yield* raw(nested(63))).code, "invalid_request")
      const text = yield* Fixture.startCall({ metadata: { a: "\"[\\".repeat(1000) } })
      assert.strictEqual((yield* Fixture.send("/v1/calls", { body: text })).status, 201)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("refuses bodies that are too large, declared or not", () =>
    Effect.gen(function*() {
      const large = `{"a":"${"x".repeat(256 * 1024)}"}`
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(large))
          controller.close()
        }
      })
      for (const body of [large, stream]) {
        const { code, max_bytes, status } = yield* raw(body)
        assert.deepStrictEqual([status, code, max_bytes], [413, "payload_too_large", 262_144])
      }
      const declared = yield* raw("{}", { "content-length": "999999999" })
      assert.strictEqual(declared.code, "payload_too_large")
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "application/json; charset=utf-16",
    "application/json; charset",
    "application/json, text/plain",
    ""
  ])(
    "refuses the media type %j",
    (type) =>
      Effect.gen(function*() {
        const { code, status } = yield* raw("{}", { "content-type": type })
        assert.deepStrictEqual([status, code], [415, "unsupported_media_type"])
      }).pipe(Effect.provide(Fixture.layer()))
  )

  it.effect("refuses a compressed body", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* raw("{}", { "content-encoding": "gzip" })).code, "unsupported_media_type")
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("keeps names of prototypes as data, or refuses them", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const text = (variables: string) =>
        `{"agent_id":"${agentId}","phone_number":"+14155550100","variables":${variables},` +
        `"metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}`
      assert.strictEqual((yield* raw(text("{\"topic\":\"x\",\"__proto__\":\"y\"}"))).param, "/variables/__proto__")
      const prototype = text("{}").replace("{", "{\"__proto__\":{\"test\":true},")
      assert.strictEqual((yield* raw(prototype)).param, "/__proto__")
      const { body, status } = yield* Fixture.send("/v1/calls", { raw: text("{\"topic\":\"x\"}") })
      assert.deepStrictEqual([status, body["test"]], [201, false])
      assert.strictEqual(
        JSON.stringify(body["metadata"]),
        "{\"__proto__\":{\"polluted\":1},\"constructor\":{\"prototype\":{\"polluted\":1}}}"
      )
      assert.isUndefined(({} as Record<string, unknown>)["polluted"])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("gives up on a body that does not arrive", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(raw(new ReadableStream()))
      yield* TestClock.withLive(Effect.sleep("50 millis"))
      yield* TestClock.adjust("30 seconds")
      const { code, status } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([status, code], [408, "request_timeout"])
    }).pipe(Effect.provide(Fixture.layer())))
})
