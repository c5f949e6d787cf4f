/**
 * HMAC by Node's cryptography. It imports each key once, not for every signature. Otherwise like `NodeCrypto.layerMac` of
 * `@effect/platform-node`.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { Mac } from "effect/crypto"
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"

export const layer: Layer.Layer<Mac.Mac> = Layer.unwrap(Effect.sync(() => {
  // Entries are collected with their keys.
  const made = new WeakMap<Uint8Array, KeyObject>()
  const keyOf = (bytes: Uint8Array) => {
    const before = made.get(bytes)
    if (before !== undefined) return before
    const key = createSecretKey(bytes)
    made.set(bytes, key)
    return key
  }
  return Mac.layerWebCryptoWith({
    hmac: (hash, key, data) => createHmac(hash, keyOf(key)).update(data).digest()
  })
})).pipe(Layer.provide(NodeCrypto.layerSecureRandom))
