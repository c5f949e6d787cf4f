import { assert, it } from "@effect/vitest"
import { ApiKey, WebCrypto } from "@outdial/core"
import { Effect } from "effect"
import { describe } from "vitest"

describe("ApiKey", () => {
  it.effect("is 47 characters with a recognisable prefix, and unique", () =>
    Effect.gen(function*() {
      const keys = yield* Effect.all(Array.from({ length: 200 }, () => ApiKey.makeSecret))
      for (const key of keys) {
        assert.match(key, /^vak_call_[0-9A-Za-z]{38}$/)
        assert.isTrue(ApiKey.isWellFormed(key))
      }
      assert.strictEqual(new Set(keys).size, 200)
    }).pipe(Effect.provide(WebCrypto.layerWebCrypto)))

  it.effect("is distinguished from a mistyped one without a look-up", () =>
    Effect.gen(function*() {
      const key = yield* ApiKey.makeSecret
      const mistyped = key.slice(0, 20) + (key[20] === "a" ? "b" : "a") + key.slice(21)
      for (const wrong of [mistyped, key.slice(1), `${key}x`, key.toUpperCase(), "", "vak_call_"]) {
        assert.isFalse(ApiKey.isWellFormed(wrong), wrong)
      }
    }).pipe(Effect.provide(WebCrypto.layerWebCrypto)))
})
