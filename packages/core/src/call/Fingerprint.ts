/** Distinguishes a retry from another request with the same idempotency key. */
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { canonicalJson } from "../domain/Idempotency.ts"

/** SHA-256, in hex, of the normalised request. */
export const make = Effect.map(Digest.Digest, (digest) => (request: unknown) =>
  // Hashing text cannot fail.
  Effect.orDie(digest.digestHex(Digest.sha256, new TextEncoder().encode(canonicalJson(request)))))
