import { assert, describe, it } from "@effect/vitest"
import { CarrierTokens, Ids, SecretBox, WebCrypto } from "@outdial/core"
import { DateTime, Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"

const call = { accountId: Ids.AccountId.make("acct_1"), callId: Ids.CallId.make("call_1") }
const claims = { ...call, purpose: "status", expiresAt: DateTime.makeUnsafe(60_000) }

const key = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64"))

const tokens = (secretBox: Layer.Layer<SecretBox.SecretBox, SecretBox.SecretKeyInvalid>) =>
  CarrierTokens.CarrierTokens.layer().pipe(Layer.provide([secretBox, WebCrypto.layerWebCrypto]), Layer.orDie)

const of = <A, E>(
  layer: Layer.Layer<CarrierTokens.CarrierTokens>,
  use: (tokens: CarrierTokens.CarrierTokens["Service"]) => Effect.Effect<A, E>
) => Effect.flatMap(CarrierTokens.CarrierTokens, use).pipe(Effect.provide(layer, { local: true }))

const first = tokens(SecretBox.SecretBox.layer({ key: key(1) }))
const rotated = tokens(SecretBox.SecretBox.layer({ key: key(2), previous: [key(1)] }))
const other = tokens(SecretBox.SecretBox.layer({ key: key(3) }))

describe("CarrierTokens", () => {
  it.effect("name their call in any process with the same secret key, also as a previous one", () =>
    Effect.gen(function*() {
      const token = yield* of(first, ({ make }) => make(claims))
      assert.match(token, /^[\w.-]+$/)
      for (const layer of [first, rotated]) {
        assert.deepStrictEqual(yield* of(layer, ({ check }) => check(token, "status")), Option.some(call))
      }
      assert.deepStrictEqual(yield* of(other, ({ check }) => check(token, "status")), Option.none())
      assert.strictEqual(yield* of(first, ({ make }) => make(claims)), token)
    }))

  it.effect("expire", () =>
    Effect.gen(function*() {
      const token = yield* of(first, ({ make }) => make(claims))
      yield* TestClock.setTime(59_999)
      assert.isTrue(Option.isSome(yield* of(first, ({ check }) => check(token, "status"))))
      yield* TestClock.setTime(60_000)
      assert.isTrue(Option.isNone(yield* of(first, ({ check }) => check(token, "status"))))
    }))

  it.effect("are for one purpose, one call and one expiry", () =>
    Effect.gen(function*() {
      const token = yield* of(first, ({ make }) => make(claims))
      const [account = "", id = "", expires = "", signature = ""] = token.split(".")
      const forged = [
        "",
        "...",
        token.slice(0, -1),
        `${token}=`,
        `${token}.`,
        `${token}A`,
        token.toUpperCase(),
        [account, "call_2", expires, signature].join("."),
        ["acct_2", id, expires, signature].join("."),
        [account, id, "zzzzzz", signature].join("."),
        [account, id, `0${expires}`, signature].join("."),
        `${token}${"x".repeat(10_000)}`
      ]
      for (const one of forged) {
        assert.deepStrictEqual(yield* of(first, ({ check }) => check(one, "status")), Option.none(), one)
      }
      assert.deepStrictEqual(yield* of(first, ({ check }) => check(token, "relay")), Option.none())
    }))

  it.effect("cannot be read for another purpose by a purpose with a dot", () =>
    Effect.gen(function*() {
      const token = yield* of(first, ({ make }) => make({ ...claims, purpose: "a.acct_9" }))
      assert.deepStrictEqual(yield* of(first, ({ check }) => check(`acct_9.${token}`, "a")), Option.none())
    }))
})
