/**
 * A call that somebody thinks of making: a request for a call, of which the rules look at some fields. The others are read and
 * not used, so that a request can be previewed as it is. Queues nothing.
 */
import { Schema } from "effect"
import { HostStartCall, StartCall } from "./Call.ts"
import { AgentId } from "./Ids.ts"

/** Whose rules apply; the account's when not given. */
const agentId = Schema.optionalKey(AgentId)

export const PreviewCall = Schema.Struct({ ...StartCall.fields, agentId })
export type PreviewCall = typeof PreviewCall.Type

/** The same as hosts in TypeScript write it. */
export const HostPreviewCall = Schema.Struct({ ...HostStartCall.fields, agentId })
