/** The numbers that an account must not call, whatever other rules allow. An entry stays until it is removed. */
import { Schema } from "effect"
import * as Example from "./Examples.ts"
import { field } from "./FieldDocs.ts"
import { CallId } from "./Ids.ts"
import { PhoneNumber } from "./PhoneNumber.ts"

/** How a number came onto the list: by hand or program, from a file, or because a callee asked for it in a call. */
export const DoNotCallSource = Schema.Literals(["api", "import", "call"])
export type DoNotCallSource = typeof DoNotCallSource.Type

export const DoNotCallEntry = Schema.Struct({
  phoneNumber: field(PhoneNumber, "The number, in E.164 form.", Example.phoneNumber),
  source: field(
    DoNotCallSource,
    "How it was added: `api` by a request, `import` from a file, `call` because the callee asked for it.",
    "call"
  ),
  callId: field(Schema.optionalKey(CallId), "The call in which the callee asked for it.", Example.callId),
  createdAt: field(
    Schema.DateTimeUtc,
    "When it was added. An entry stays until it is removed.",
    Example.created
  )
})
export type DoNotCallEntry = typeof DoNotCallEntry.Type
