/** The engine's cryptographic services, from the platform's Web Crypto. A Node host may provide faster ones. */
import { Layer } from "effect"
import { Digest, Mac, SecureRandom } from "effect/crypto"

export const layerWebCrypto: Layer.Layer<Digest.Digest | Mac.Mac | SecureRandom.SecureRandom> = Mac.layerWebCrypto.pipe(
  Layer.provideMerge(Layer.merge(SecureRandom.layerWebCrypto, Digest.layerWebCrypto))
)
