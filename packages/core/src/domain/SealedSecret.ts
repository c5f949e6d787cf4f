/** A secret as it is stored: encrypted, with the id of the key that opens it. */
import { Schema } from "effect"

/** A secret sealed by a `SecretBox`, which alone can open it. */
export const Sealed = Schema.Struct({
  /** Identifies the key without revealing anything about it. */
  keyId: Schema.String,
  /** Opaque to everything but the box that sealed it. */
  ciphertext: Schema.String
})
export type Sealed = typeof Sealed.Type

/** A sealed secret with its public hint, so that showing the hint needs no key. */
export const SealedSecret = Schema.Struct({ ...Sealed.fields, hint: Schema.String })
export type SealedSecret = typeof SealedSecret.Type
