import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Fixture from "../Fixture.ts"

/** Sends as many requests as the key may make, and answers the last. */
const spend = (key: string, times = 300) =>
  Effect.map(
    Effect.forEach(Array.from({ length: times }), () => Fixture.send("/v1/agents", { key })),
    (answers) => answers.at(-1)
  )

const statusAndLimit = (answer: Fixture.Received | undefined) => [
  answer?.status,
  answer?.headers.get("ratelimit"),
  answer?.headers.get("retry-after")
]

describe("the request rate (spec §8)", () => {
  it.effect("accepts 300 requests of a key in any 60 seconds, and reports the remaining requests", () =>
    Effect.gen(function*() {
      const key = yield* Fixture.key("calls:read")
      assert.deepStrictEqual(statusAndLimit(yield* spend(key, 1)), [200, "\"default\";r=299;t=60", null])
      yield* TestClock.adjust("20 seconds")
      const last = yield* spend(key, 299)
      assert.deepStrictEqual(statusAndLimit(last), [200, "\"default\";r=0;t=40", null])
      assert.strictEqual(last?.headers.get("ratelimit-policy"), "\"default\";q=300;w=60")
      const refused = yield* Fixture.send("/v1/agents", { key })
      assert.deepStrictEqual(statusAndLimit(refused), [429, "\"default\";r=0;t=40", "40"])
      const { code, message } = Fixture.errorOf(refused)
      assert.deepStrictEqual([code, message], [
        "rate_limited",
        "More than 300 requests in a minute; try again in 40 seconds"
      ])
      yield* TestClock.adjust("40 seconds")
      assert.deepStrictEqual(statusAndLimit(yield* spend(key, 1)), [200, "\"default\";r=0;t=20", null])
      assert.strictEqual((yield* Fixture.send("/v1/agents", { key })).status, 429)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("does not count what it refuses", () =>
    Effect.gen(function*() {
      const key = yield* Fixture.key("calls:read")
      yield* spend(key)
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(statusAndLimit(yield* spend(key, 500)), [429, "\"default\";r=0;t=1", "1"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(statusAndLimit(yield* spend(key)), [200, "\"default\";r=0;t=60", null])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("counts replays and errors, but not unknown paths and wrong keys", () =>
    Effect.gen(function*() {
      const key = yield* Fixture.key("calls:write")
      const left = (path: string, sent: Fixture.Sent = {}) =>
        Effect.map(Fixture.send(path, { ...sent, key }), ({ headers }) => headers.get("ratelimit"))
      const sent = { body: yield* Fixture.startCall(), headers: { "idempotency-key": "k" } }
      assert.strictEqual(yield* left("/v1/calls", sent), "\"default\";r=299;t=60")
      assert.strictEqual(yield* left("/v1/calls", sent), "\"default\";r=298;t=60")
      assert.strictEqual(yield* left("/v1/calls", { raw: "{" }), "\"default\";r=297;t=60")
      assert.strictEqual(yield* left("/v1/webhook"), "\"default\";r=296;t=60")
      assert.isNull(yield* left("/v1/nope"))
      assert.isNull(yield* left("/v1/agents", { method: "DELETE" }))
      assert.strictEqual(yield* left("/v1/agents"), "\"default\";r=295;t=60")
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("is checked after the key and before the scope", () =>
    Effect.gen(function*() {
      const key = yield* Fixture.key("calls:read")
      yield* spend(key)
      assert.strictEqual((yield* Fixture.send("/v1/webhook", { key })).status, 429)
      assert.strictEqual((yield* Fixture.send("/v1/webhook", { key: `${key}x` })).status, 401)
      assert.strictEqual((yield* Fixture.send("/healthz", { key })).status, 200)
    }).pipe(Effect.provide(Fixture.layer())))
})
