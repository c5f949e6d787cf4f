/**
 * Idempotency keys (spec §4.1), and the fingerprint that distinguishes a retry from another request with the same key.
 */
import { Schema } from "effect"
import * as Limits from "./Limits.ts"

/** 1 to 255 printable ASCII characters, taken literally. */
export const IdempotencyKey = Schema.String.check(
  Schema.isPattern(new RegExp(`^[\\x20-\\x7e]{1,${Limits.idempotencyKeyLength}}$`, "u"), {
    message: `must be 1 to ${Limits.idempotencyKeyLength} printable ASCII characters`
  })
)

/** JSON with sorted keys, so that equal requests give equal text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part)
