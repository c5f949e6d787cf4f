/** Links to the console and the sessions that they become. Their secrets are stored only as hashes. */
import { Duration, Effect, Schema } from "effect"
import type { DateTime } from "effect"
import { SecureRandom } from "effect/crypto"
import { base62 } from "./Base62.ts"
import { Role } from "./ConsoleRole.ts"
import { AccountId, ConsoleLinkId, ConsoleSessionId } from "./Ids.ts"

/** How long a link works: enough to send it to a colleague who waits for it. */
export const linkTtl = Duration.minutes(10)

/** How long a session lasts: a working day. */
export const sessionTtl = Duration.hours(12)

/** The name of a user, for the list of sessions and the audit log. */
export const UserName = Schema.String.check(
  // Control and invisible characters could make one name look like another, and Postgres rejects NUL.
  Schema.makeFilter((name) =>
    !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(name) || "must have no control characters"
  ),
  Schema.makeFilter((name) => name.trim() !== "" || "must not be empty"),
  Schema.makeFilter((name) => name === name.trim() || "must not begin or end with a space"),
  Schema.isMaxLength(100, { message: "must have at most 100 characters" })
)

const access = {
  role: Role,
  name: UserName,
  /** The only account that the user may see. Absent: all accounts. */
  accountId: Schema.optionalKey(AccountId)
}

/** Who gets a link. */
export const NewLink = Schema.Struct(access)
export type NewLink = typeof NewLink.Type

/** A link that has not been used. */
export interface ConsoleLink extends NewLink {
  /** SHA-256 of the token, in hex. */
  readonly hash: string
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/** A link that has not been used, without its token. */
export interface UnusedLink extends NewLink {
  readonly id: ConsoleLinkId
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/** Names the link in lists and in the audit log. The token does not follow from it. */
export const linkId = ({ hash }: Pick<ConsoleLink, "hash">): ConsoleLinkId =>
  ConsoleLinkId.make(`link_${hash.slice(0, 24)}`)

export const ConsoleSession = Schema.Struct({
  id: ConsoleSessionId,
  ...access,
  createdAt: Schema.DateTimeUtc,
  expiresAt: Schema.DateTimeUtc,
  /** To the minute. */
  lastUsedAt: Schema.DateTimeUtc
})
export type ConsoleSession = typeof ConsoleSession.Type

/** 256 bits, as letters and digits. */
const tokenLength = 43

/** A fresh token of a link or a session. */
export const makeToken: Effect.Effect<string, never, SecureRandom.SecureRandom> = base62(tokenLength)

/** Whether the text has the format of a token; only such text is looked up. */
export const isWellFormed = (token: string): boolean => /^[0-9A-Za-z]{43}$/.test(token)
