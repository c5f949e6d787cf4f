/** A secret as storage keeps it: encrypted, beside the id of the key that opens it. */
import { Schema } from "effect"

/** What a `SecretBox` makes of a secret, and alone can open. */
export const Sealed = Schema.Struct({
  /** Names the key without telling anything of it. */
  keyId: Schema.String,
  /** Opaque to everything but the box that sealed it. */
  ciphertext: Schema.String
})
export type Sealed = typeof Sealed.Type

/** A sealed secret with what its owner is shown of it, so that looking needs no key. */
export const SealedSecret = Schema.Struct({ ...Sealed.fields, hint: Schema.String })
export type SealedSecret = typeof SealedSecret.Type
