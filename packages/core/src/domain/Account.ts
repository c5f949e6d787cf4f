/**
 * A tenant: its lines, its switches and its policy. All other data belongs to exactly one account, and no account can
 * see another's.
 */
import { Schema } from "effect"
import { AccountId } from "./Ids.ts"
import { PolicyDocument } from "./Policy.ts"
import { SealedSecret } from "./SealedSecret.ts"

/** Lines of an account that did not choose. */
export const defaultLines = 5

export const Account = Schema.Struct({
  id: AccountId,
  name: Schema.NonEmptyString.check(Schema.isMaxLength(200)),
  /** Calls at once. */
  lines: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
  /** While true no call is dialed; calls wait. */
  paused: Schema.Boolean,
  /** Raised by every write that may forbid a dial; a dial claimed under an older epoch is not submitted. */
  epoch: Schema.Int,
  /** The policy as its owner wrote it. Absent when the stored policy cannot be read; then nothing is dialed. */
  policy: Schema.optionalKey(PolicyDocument),
  /** Raised by every change that requires replanning waiting calls: a policy, other plan data. */
  planVersion: Schema.Int,
  /** The key for the aliases of erased numbers. Absent until the account erases a callee. */
  erasureKey: Schema.optionalKey(SealedSecret),
  createdAt: Schema.DateTimeUtc
})
export type Account = typeof Account.Type
