/** The cryptographic services of a rehearsal: its random bytes follow from a seed, so that the same seed gives the same calls. */
import { Layer } from "effect"
import { Digest, Mac, SecureRandom } from "effect/crypto"

export const layer = (seed: number): Layer.Layer<Digest.Digest | Mac.Mac | SecureRandom.SecureRandom> =>
  Layer.merge(Mac.layerWebCrypto, Digest.layerWebCrypto).pipe(
    Layer.provideMerge(Layer.succeed(SecureRandom.SecureRandom, SecureRandom.make(bytes(seed))))
  )

/** Mulberry32: small, and good enough for ids that only have to differ. */
const bytes = (seed: number) => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) & 0xff
  }
  return (size: number) => Uint8Array.from({ length: size }, next)
}
