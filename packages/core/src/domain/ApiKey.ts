/**
 * An API key: its format, its permissions and its record, which never contains the key itself. A checksum rejects
 * typing errors without a look-up.
 */
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { DateTime } from "effect"
import { AccountId, ApiKeyId } from "./Ids.ts"
import { base62, crc32, encode62 } from "./Base62.ts"

/** The permission of a key (spec §5; `docs/decisions.md`, HTTP). */
export const Scope = Schema.Literals([
  "calls:write",
  "calls:read",
  "webhooks:manage",
  "do_not_call:manage",
  "agents:manage"
])
export type Scope = typeof Scope.Type

/** A key's record. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  accountId: AccountId,
  name: Schema.String,
  /** SHA-256 of the key, in hex. */
  hash: Schema.String,
  scopes: Schema.Array(Scope),
  createdAt: Schema.DateTimeUtc,
  expiresAt: Schema.optionalKey(Schema.DateTimeUtc),
  revokedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** To the minute. */
  lastUsedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type ApiKey = typeof ApiKey.Type

const prefix = "vak_call_"
const randomLength = 32
const checksumLength = 6

/** A fresh key: `vak_call_`, 32 random characters (190 bits) and a checksum of 6. */
export const makeSecret: Effect.Effect<string, never, SecureRandom.SecureRandom> = Effect.gen(function*() {
  const body = prefix + (yield* base62(randomLength))
  return body + checksum(body)
})

/** Whether the text has the format of a key; only such text is looked up. */
export const isWellFormed = (secret: string): boolean =>
  /^vak_call_[0-9A-Za-z]{38}$/.test(secret) &&
  checksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength)

/** Whether the key may be used at `now`. */
export const isUsable = (key: ApiKey, now: DateTime.Utc): boolean =>
  key.revokedAt === undefined &&
  (key.expiresAt === undefined || key.expiresAt.epochMilliseconds > now.epochMilliseconds)

const checksum = (text: string): string => encode62(crc32(text), checksumLength)
