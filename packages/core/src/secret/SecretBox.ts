/**
 * Port: seals secrets that the engine must be able to read again, so that storage never holds them in plain text. A
 * secret sealed for one account cannot be opened for another. A host with a key service provides its own layer.
 */
import { Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import { Aead, Kdf, Mac, SecureRandom } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"
import type { AccountId } from "../domain/Ids.ts"
import type { Sealed } from "../domain/SealedSecret.ts"

/** A secret could not be sealed or opened. */
export class SecretBoxError extends Schema.TaggedError<SecretBoxError>()("SecretBoxError", {
  /** `unknown_key`: no such key was given; `not_authentic`: changed, or of another account; `unavailable`: may work later. */
  reason: Schema.Literals(["unknown_key", "not_authentic", "unavailable"]),
  keyId: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  /** The message for hosts that do not use Effect. */
  get code() {
    return codes[this.reason]
  }

  override get message(): string {
    switch (this.reason) {
      case "unknown_key":
        return `A secret is sealed under the key ${this.keyId}, which was not given; give it as a previous key`
      case "not_authentic":
        return `A secret sealed under the key ${this.keyId} was changed, or belongs to another account`
      case "unavailable":
        return `The key ${this.keyId} cannot be used just now`
      default:
        return this.reason satisfies never
    }
  }
}

const codes = {
  unknown_key: "secret_key_unknown",
  not_authentic: "secret_not_authentic",
  unavailable: "secret_key_unavailable"
} as const

/** A key that is none. */
export class SecretKeyInvalid extends Schema.TaggedError<SecretKeyInvalid>()("SecretKeyInvalid", {
  code: Schema.tag("secret_key_invalid")
}) {
  override get message(): string {
    return "A secret key must be 32 bytes in base64; make one with: openssl rand -base64 32"
  }
}

/** Keys of 32 bytes, in base64. */
export interface SecretKeys {
  /** Seals, and opens its own secrets. */
  readonly key: Redacted.Redacted
  /** Earlier keys, which only open. */
  readonly previous?: ReadonlyArray<Redacted.Redacted>
}

/** A key of 32 bytes, derived from a secret key for one purpose. */
export type SigningKey = Redacted.Redacted<Uint8Array>

export class SecretBox extends Context.Service<SecretBox, {
  /** Ids of the keys that can open; the first one seals. */
  readonly keyIds: readonly [string, ...ReadonlyArray<string>]
  readonly seal: (owner: AccountId, secret: Redacted.Redacted) => Effect.Effect<Sealed, SecretBoxError>
  readonly open: (owner: AccountId, sealed: Sealed) => Effect.Effect<Redacted.Redacted, SecretBoxError>
  /**
   * Keys for signatures, one for each of `keyIds` in their order: always the same for the same key and purpose, and
   * useless for anything else. Absent when keys do not leave their service.
   */
  readonly signingKeys?: (purpose: string) => Effect.Effect<readonly [SigningKey, ...ReadonlyArray<SigningKey>]>
}>()("@outdial/core/secret/SecretBox") {
  /** AES-256-GCM by Web Crypto under the given keys; account and key id are authenticated with each secret. */
  static readonly layer = (keys: SecretKeys): Layer.Layer<SecretBox, SecretKeyInvalid> =>
    Layer.effect(SecretBox, make(keys)).pipe(Layer.provide(crypto))

  /** Without a key: opens and seals nothing. */
  static readonly layerClosed: Layer.Layer<SecretBox> = Layer.succeed(SecretBox, {
    keyIds: ["none"],
    seal: () => Effect.fail(new SecretBoxError({ reason: "unknown_key", keyId: "none" })),
    open: (_, { keyId }) => Effect.fail(new SecretBoxError({ reason: "unknown_key", keyId }))
  })

  /** With a random key that ends with the process. */
  static readonly layerMemory: Layer.Layer<SecretBox> = Layer.effect(
    SecretBox,
    Effect.gen(function*() {
      const random = yield* SecureRandom.SecureRandom
      return yield* make({ key: Redacted.make(Base64.encode(yield* random.randomBytes(keyBytes))) })
    }).pipe(
      // The key is of the right length.
      Effect.orDie
    )
  ).pipe(Layer.provide(Layer.suspend(() => crypto)))
}

const keyBytes = 32
const nonceBytes = Aead.aes256Gcm.nonceLength

/** Whether the text is a key: 32 bytes in base64. */
export const isKey = (text: string): boolean => {
  const bytes = Base64.decode(text)
  return Result.isSuccess(bytes) && bytes.success.length === keyBytes
}

const crypto = Layer.mergeAll(Aead.layerWebCrypto, Kdf.layerWebCrypto, Mac.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const utf8 = new TextEncoder()

/** Derived from the key, so that operators need not number keys; 64 bits of a MAC, which reveal nothing about it. */
const idOf = Effect.fnUntraced(function*(bytes: Uint8Array) {
  const mac = yield* Mac.Mac
  const id = yield* mac.sign(yield* Mac.key(Mac.hmacSha256, bytes), utf8.encode("outdial secret key id"))
  return Hex.encode(id.subarray(0, 8))
})

const parse = Effect.fnUntraced(function*(text: Redacted.Redacted) {
  const bytes = Base64.decode(Redacted.value(text))
  if (Result.isFailure(bytes) || bytes.success.length !== keyBytes) return yield* new SecretKeyInvalid()
  return yield* Effect.orDie(
    Effect.all({
      id: idOf(bytes.success),
      key: Aead.key(Aead.aes256Gcm, bytes.success),
      bytes: Effect.succeed(Redacted.make(bytes.success, { label: "secret-key" }))
    })
  )
})

/** The authenticated data besides the secret: its account, and the id of the key. */
const additionalData = (owner: AccountId, keyId: string) =>
  utf8.encode(JSON.stringify(["outdial webhook secret", owner, keyId]))

const make = Effect.fnUntraced(function*({ key, previous = [] }: SecretKeys) {
  const aead = yield* Aead.Aead
  const kdf = yield* Kdf.Kdf
  const random = yield* SecureRandom.SecureRandom
  const current = yield* parse(key)
  const others = yield* Effect.forEach(previous, parse)
  const derive = (purpose: string) => ({ bytes }: typeof current) =>
    // HKDF (RFC 5869). The secret keys are random and of full length, so that no salt is needed.
    kdf.derive(Kdf.hkdfSha256, Redacted.value(bytes), {
      salt: new Uint8Array(),
      length: keyBytes,
      info: utf8.encode(`outdial ${purpose}`)
    }).pipe(Effect.orDie, Effect.map((derived): SigningKey => Redacted.make(derived, { label: "signing-key" })))
  const keys = new Map([...others, current].map(({ id, key }) => [id, key]))
  return SecretBox.of({
    keyIds: [current.id, ...others.map(({ id }) => id)],
    seal: Effect.fnUntraced(function*(owner, secret) {
      // Random nonces of 96 bits: safe for 2^32 secrets under one key. A secret is written only when it is issued.
      const nonce = yield* random.randomBytes(nonceBytes)
      const sealed = yield* Effect.orDie(
        aead.encrypt(current.key, utf8.encode(Redacted.value(secret)), {
          nonce,
          aad: additionalData(owner, current.id)
        })
      )
      const bytes = new Uint8Array(nonce.length + sealed.length)
      bytes.set(nonce)
      bytes.set(sealed, nonce.length)
      return { keyId: current.id, ciphertext: Base64.encode(bytes) }
    }),
    open: Effect.fnUntraced(function*(owner, { ciphertext, keyId }) {
      const key = keys.get(keyId)
      if (key === undefined) return yield* new SecretBoxError({ reason: "unknown_key", keyId })
      const bytes = Base64.decode(ciphertext)
      if (Result.isFailure(bytes) || bytes.success.length < nonceBytes) {
        return yield* new SecretBoxError({ reason: "not_authentic", keyId })
      }
      const opened = yield* aead.decrypt(key, bytes.success.subarray(nonceBytes), {
        nonce: bytes.success.subarray(0, nonceBytes),
        aad: additionalData(owner, keyId)
      }).pipe(Effect.mapError(() => new SecretBoxError({ reason: "not_authentic", keyId })))
      return Redacted.make(new TextDecoder().decode(opened), { label: "webhook-secret" })
    }),
    signingKeys: Effect.fnUntraced(function*(purpose) {
      return [yield* derive(purpose)(current), ...yield* Effect.forEach(others, derive(purpose))] as const
    })
  })
})
