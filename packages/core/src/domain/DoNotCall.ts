/** The numbers that an account must not call, whatever else is allowed. An entry stays until somebody removes it. */
import { Schema } from "effect"
import { CallId } from "./Ids.ts"
import { PhoneNumber } from "./PhoneNumber.ts"

/** How a number came on the list: by hand or program, from a file, or because a callee asked for it in a call. */
export const DoNotCallSource = Schema.Literals(["api", "import", "call"])
export type DoNotCallSource = typeof DoNotCallSource.Type

export const DoNotCallEntry = Schema.Struct({
  phoneNumber: PhoneNumber,
  source: DoNotCallSource,
  /** The call in which the callee asked for it. */
  callId: Schema.optionalKey(CallId),
  createdAt: Schema.DateTimeUtc
})
export type DoNotCallEntry = typeof DoNotCallEntry.Type
