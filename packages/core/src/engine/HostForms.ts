/** Calls, batches, agents and webhooks as hosts without Effect see them: the public forms, with `Date`s for instants. */
import { Schema } from "effect"
import { Agent } from "../domain/Agent.ts"
import { Batch } from "../domain/Batch.ts"
import { Call } from "../domain/Call.ts"
import { Webhook } from "../domain/WebhookEndpoint.ts"

const Instant = Schema.DateTimeUtcFromDate

const CallForm = Schema.Struct({
  ...Call.fields,
  scheduledFor: Schema.optionalKey(Instant),
  createdAt: Instant,
  dialedAt: Schema.optionalKey(Instant),
  endedAt: Schema.optionalKey(Instant),
  recordingExpiresAt: Schema.optionalKey(Instant)
})
export type HostCall = typeof CallForm.Encoded
export const hostCall = Schema.encodeSync(CallForm)

const BatchForm = Schema.Struct({ ...Batch.fields, createdAt: Instant, completedAt: Schema.optionalKey(Instant) })
export type HostBatch = typeof BatchForm.Encoded
export const hostBatch = Schema.encodeSync(BatchForm)

const WebhookForm = Schema.Struct({
  ...Webhook.fields,
  previousSecretExpiresAt: Schema.optionalKey(Instant),
  createdAt: Instant,
  updatedAt: Instant
})
export type HostWebhook = typeof WebhookForm.Encoded
export const hostWebhook = Schema.encodeSync(WebhookForm)

const AgentForm = Schema.Struct({ ...Agent.fields, createdAt: Instant, updatedAt: Instant })
export type HostAgent = typeof AgentForm.Encoded
export const hostAgent = Schema.encodeSync(AgentForm)
