/**
 * HMAC by Node's own cryptography, which makes of each key's bytes what it works with once, and not for every signature. Like
 * `NodeCrypto.layerMac` of `@effect/platform-node` in all else.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { Mac } from "effect/crypto"
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"

export const layer: Layer.Layer<Mac.Mac> = Layer.unwrap(Effect.sync(() => {
  // They go with their keys.
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
