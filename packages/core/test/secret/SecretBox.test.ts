import { assert, describe, it } from "@effect/vitest"
import { Ids, SecretBox } from "@outdial/core"
import { Effect, Redacted } from "effect"
import { createDecipheriv } from "node:crypto"

const keyOf = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64"))
const mine = Ids.AccountId.make("acct_mine")
const theirs = Ids.AccountId.make("acct_theirs")
const secret = Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU")

/** The box under these keys, the first of which seals. */
const boxOf = (key: number, ...previous: ReadonlyArray<number>) =>
  Effect.provide(SecretBox.SecretBox, SecretBox.SecretBox.layer({ key: keyOf(key), previous: previous.map(keyOf) }))

const failure = <A>(opening: Effect.Effect<A, SecretBox.SecretBoxError>) =>
  Effect.map(Effect.flip(opening), ({ keyId, reason }) => ({ keyId, reason }))

/** The text with one bit of the byte at `index` changed. */
const flipped = (ciphertext: string, index: number) => {
  const bytes = Buffer.from(ciphertext, "base64")
  bytes[index] = (bytes[index] ?? 0) ^ 1
  return bytes.toString("base64")
}

describe("SecretBox", () => {
  it.effect("opens what it sealed, and seals the same secret differently every time", () =>
    Effect.gen(function*() {
      const box = yield* boxOf(1)
      const [first, second] = yield* Effect.all([box.seal(mine, secret), box.seal(mine, secret)])
      assert.strictEqual(Redacted.value(yield* box.open(mine, first)), Redacted.value(secret))
      assert.notStrictEqual(first.ciphertext, second.ciphertext)
      assert.strictEqual(first.keyId, box.keyIds[0])
    }))

  it.effect("seals with AES-256-GCM: twelve bytes of nonce, ciphertext, tag; account and key id authenticated", () =>
    Effect.gen(function*() {
      const { ciphertext, keyId } = yield* (yield* boxOf(1)).seal(mine, secret)
      const bytes = Buffer.from(ciphertext, "base64")
      const decipher = createDecipheriv("aes-256-gcm", Buffer.alloc(32, 1), bytes.subarray(0, 12))
        .setAuthTag(bytes.subarray(-16))
        .setAAD(Buffer.from(JSON.stringify(["outdial webhook secret", mine, keyId])))
      const opened = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
      assert.strictEqual(opened.toString(), Redacted.value(secret))
    }))

  it.effect("opens nothing for another account, under another key's id, or with any bit changed", () =>
    Effect.gen(function*() {
      const box = yield* boxOf(1, 2)
      const sealed = yield* box.seal(mine, secret)
      const [keyId] = box.keyIds
      const other = String(box.keyIds[1])
      assert.deepStrictEqual(yield* failure(box.open(theirs, sealed)), { keyId, reason: "not_authentic" })
      assert.deepStrictEqual(yield* failure(box.open(mine, { ...sealed, keyId: other })), {
        keyId: other,
        reason: "not_authentic"
      })
      const length = Buffer.from(sealed.ciphertext, "base64").length
      for (let index = 0; index < length; index++) {
        const changed = { ...sealed, ciphertext: flipped(sealed.ciphertext, index) }
        assert.deepStrictEqual(yield* failure(box.open(mine, changed)), { keyId, reason: "not_authentic" })
      }
      for (const ciphertext of ["", "AAAA", "no base64!"]) {
        assert.strictEqual((yield* failure(box.open(mine, { ...sealed, ciphertext }))).reason, "not_authentic")
      }
    }))

  it.effect("opens under previous keys, seals under the current one, and names the key that it lacks", () =>
    Effect.gen(function*() {
      const sealed = yield* (yield* boxOf(1)).seal(mine, secret)
      const rotated = yield* boxOf(2, 1)
      assert.strictEqual(Redacted.value(yield* rotated.open(mine, sealed)), Redacted.value(secret))
      const anew = yield* rotated.seal(mine, secret)
      assert.strictEqual(anew.keyId, (yield* boxOf(2)).keyIds[0])
      const error = yield* Effect.flip((yield* boxOf(2)).open(mine, sealed))
      assert.deepStrictEqual([error.reason, error.keyId], ["unknown_key", sealed.keyId])
      assert.match(error.message, new RegExp(sealed.keyId))
    }))

  it.effect.each(["", "x", "AAAA", Buffer.alloc(31).toString("base64"), Buffer.alloc(33).toString("base64")])(
    "refuses the key %j without repeating it",
    (text) =>
      Effect.gen(function*() {
        const layer = SecretBox.SecretBox.layer({ key: Redacted.make(text) })
        const error = yield* Effect.flip(Effect.provide(SecretBox.SecretBox, layer))
        assert.strictEqual(error._tag, "SecretKeyInvalid")
        assert.match(error.message, /32 bytes in base64/)
      })
  )

  it.effect("has a key of its own in memory", () =>
    Effect.gen(function*() {
      const box = yield* Effect.provide(SecretBox.SecretBox, SecretBox.SecretBox.layerMemory)
      const sealed = yield* box.seal(mine, secret)
      assert.strictEqual(Redacted.value(yield* box.open(mine, sealed)), Redacted.value(secret))
    }))
})
