/** A call that somebody thinks of making: as much of a request for one as the rules look at. Queues nothing. */
import { Schema } from "effect"
import { Contact, StartCall } from "./Call.ts"
import { AgentId } from "./Ids.ts"

export const PreviewCall = Schema.Struct({
  phoneNumber: StartCall.fields.phoneNumber,
  /** Whose rules apply; the account's when not given. */
  agentId: Schema.optionalKey(AgentId),
  contact: Schema.optionalKey(Schema.Struct({ timeZone: Contact.fields.timeZone })),
  notBefore: StartCall.fields.notBefore,
  expiresAt: StartCall.fields.expiresAt
})
export type PreviewCall = typeof PreviewCall.Type
