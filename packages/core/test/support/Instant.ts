/**
 * Cryptography that takes no real time: what an engine does between two instants of a test clock is then done when the clock
 * moves on.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { SecretBox } from "@outdial/core"
import { Effect, Layer, Redacted } from "effect"

/** Secrets as they are. */
const secretBox = Layer.succeed(SecretBox.SecretBox, {
  keyIds: ["plain"],
  seal: (_, secret) => Effect.succeed({ keyId: "plain", ciphertext: Redacted.value(secret) }),
  open: (_, { ciphertext }) => Effect.succeed(Redacted.make(ciphertext))
})

/** Options of a test engine. */
export const options = { crypto: NodeCrypto.layer, secretBox }
