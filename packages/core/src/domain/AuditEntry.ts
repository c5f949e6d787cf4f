/**
 * A change that a user of the console made, or tried to make. Contains no secrets, no scripts and nothing of a callee, so that erasure
 * need not look into the audit log.
 */
import { Duration, Schema } from "effect"
import { Role } from "./ConsoleRole.ts"
import { AccountId, AuditEntryId } from "./Ids.ts"

/** How long entries are kept: a year, and a month to ask for it. */
export const retention = Duration.days(400)

/** Facts of the change, such as the new number of lines. */
export const Details = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null])
)
export type Details = typeof Details.Type

export const AuditEntry = Schema.Struct({
  id: AuditEntryId,
  /** When the change was requested. */
  createdAt: Schema.DateTimeUtc,
  /** The user's name. */
  actor: Schema.String,
  role: Role,
  /** Absent for a change that concerns no single account. */
  accountId: Schema.optionalKey(AccountId),
  /** Such as `calls.cancel`. */
  action: Schema.String,
  /** The id of what was changed. */
  target: Schema.optionalKey(Schema.String),
  /** The HTTP status of the response. Absent while the change is carried out, and if its process ended before it was complete. */
  status: Schema.optionalKey(Schema.Int),
  details: Details
})
export type AuditEntry = typeof AuditEntry.Type
