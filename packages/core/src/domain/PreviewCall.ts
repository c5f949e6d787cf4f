/**
 * A call to preview: a request for a call, of which the rules use some fields. The others are accepted and ignored, so
 * that a request can be previewed unchanged. Queues nothing.
 */
import { Schema } from "effect"
import { HostStartCall, StartCall } from "./Call.ts"
import * as Example from "./Examples.ts"
import { field } from "./FieldDocs.ts"
import { AgentId } from "./Ids.ts"

export const PreviewCall = Schema.Struct({
  ...StartCall.fields,
  agentId: field(Schema.optionalKey(AgentId), "Whose rules apply; the account's when not given.", Example.agentId),
  test: field(
    Schema.optionalKey(Schema.Boolean),
    "Accepted and ignored: the preview is of a call that rings.",
    false
  )
})
export type PreviewCall = typeof PreviewCall.Type

/** The same as hosts in TypeScript write it. */
export const HostPreviewCall = Schema.Struct({ ...HostStartCall.fields, agentId: PreviewCall.fields.agentId })
