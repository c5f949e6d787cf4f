/** Calls, batches, accounts, agents, keys, webhooks, events and the rest for hosts without Effect: plain objects, with `Date`s for instants. */
import { DateTime, Option, Schema } from "effect"
import { Account } from "../domain/Account.ts"
import { Agent } from "../domain/Agent.ts"
import { ApiKey } from "../domain/ApiKey.ts"
import { Batch, RejectedRow } from "../domain/Batch.ts"
import { Call } from "../domain/Call.ts"
import { DoNotCallEntry } from "../domain/DoNotCall.ts"
import type { EventRecord, SubscribableKind } from "../domain/Event.ts"
import { Explanation, Verdict } from "../domain/Explanation.ts"
import { Transcript } from "../domain/Transcript.ts"
import { Webhook } from "../domain/WebhookEndpoint.ts"
import { BatchWire, CallJson } from "../domain/Wire.ts"
import type { DeliveryAttempt, DeliveryRecord } from "../domain/Delivery.ts"

const Instant = Schema.DateTimeUtcFromDate

const CallSchema = Schema.Struct({
  ...Call.fields,
  scheduledFor: Schema.optionalKey(Instant),
  createdAt: Instant,
  dialedAt: Schema.optionalKey(Instant),
  endedAt: Schema.optionalKey(Instant),
  recordingExpiresAt: Schema.optionalKey(Instant)
})
export type HostCall = typeof CallSchema.Encoded
export const hostCall = Schema.encodeSync(CallSchema)

/** The turns of a call's transcript. */
export type HostTranscript = typeof Transcript.Encoded
export const hostTranscript = Schema.encodeSync(Transcript)

const { hash: _, ...keyFields } = ApiKey.fields
const ApiKeySchema = Schema.Struct({
  ...keyFields,
  createdAt: Instant,
  expiresAt: Schema.optionalKey(Instant),
  revokedAt: Schema.optionalKey(Instant),
  lastUsedAt: Schema.optionalKey(Instant)
})
export type HostApiKey = typeof ApiKeySchema.Encoded
const encodeApiKey = Schema.encodeSync(ApiKeySchema)

/** Without its hash. */
export const hostApiKey = ({ hash: _hash, ...key }: ApiKey): HostApiKey => encodeApiKey(key)

const BatchSchema = Schema.Struct({
  ...Batch.fields,
  rejected: Schema.optionalKey(
    Schema.Array(Schema.Struct({ ...RejectedRow.fields, retryAt: Schema.optionalKey(Instant) }))
  ),
  createdAt: Instant,
  completedAt: Schema.optionalKey(Instant)
})
export type HostBatch = typeof BatchSchema.Encoded
export const hostBatch = Schema.encodeSync(BatchSchema)

const WebhookSchema = Schema.Struct({
  ...Webhook.fields,
  previousSecretExpiresAt: Schema.optionalKey(Instant),
  disabledAt: Schema.optionalKey(Instant),
  createdAt: Instant,
  updatedAt: Instant
})
export type HostWebhook = typeof WebhookSchema.Encoded
export const hostWebhook = Schema.encodeSync(WebhookSchema)

const AgentSchema = Schema.Struct({ ...Agent.fields, createdAt: Instant, updatedAt: Instant })
export type HostAgent = typeof AgentSchema.Encoded
export const hostAgent = Schema.encodeSync(AgentSchema)

const { epoch: _epoch, erasureKey: _erasureKey, planVersion: _planVersion, ...accountFields } = Account.fields
const AccountSchema = Schema.Struct({ ...accountFields, createdAt: Instant })
export type HostAccount = typeof AccountSchema.Encoded
const encodeAccount = Schema.encodeSync(AccountSchema)

/** Without the engine's internal fields. `policy` is absent when the stored policy cannot be read. */
export const hostAccount = (
  { epoch: _epoch, erasureKey: _erasureKey, planVersion: _planVersion, ...account }: Account
): HostAccount => encodeAccount(account)

const ExplanationSchema = Schema.Struct({
  ...Explanation.fields,
  at: Instant,
  scheduledFor: Schema.optionalKey(Instant),
  leaseExpiresAt: Schema.optionalKey(Instant),
  decidedAt: Schema.optionalKey(Instant),
  rules: Schema.Array(Schema.Struct({ ...Verdict.fields, nextAllowedAt: Schema.optionalKey(Instant) }))
})
export type HostExplanation = typeof ExplanationSchema.Encoded
export const hostExplanation = Schema.encodeSync(ExplanationSchema)

const DoNotCallSchema = Schema.Struct({ ...DoNotCallEntry.fields, createdAt: Instant })
export type HostDoNotCallEntry = typeof DoNotCallSchema.Encoded
export const hostDoNotCallEntry = Schema.encodeSync(DoNotCallSchema)

interface HostEventFields extends Pick<EventRecord, "id" | "callId" | "batchId"> {
  readonly createdAt: Date
  /** The JSON that webhooks deliver, byte for byte, in snake_case. */
  readonly body: string
}

/** An event about a call. `data` is the call as `calls.get` returned it then, or null when its callee has been erased. */
export interface HostCallEvent extends HostEventFields {
  readonly type: Exclude<SubscribableKind, "batch.completed">
  readonly data: HostCall | null
}

/** An event about a batch. `data` is the batch as `batches.get` returned it then, without its rows. */
export interface HostBatchEvent extends HostEventFields {
  readonly type: "batch.completed"
  readonly data: HostBatch | null
}

/** An event; `type` distinguishes the two kinds. */
export type HostEvent = HostCallEvent | HostBatchEvent

// Stored data was checked when it was written; limits may have changed since.
const decodeCallBody = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ data: CallJson })),
  { disableChecks: true }
)
const decodeBatchBody = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ data: Schema.toCodecJson(BatchWire) })),
  { disableChecks: true }
)

export const hostEvent = ({ batchId, body, callId, createdAt, id, type }: EventRecord): HostEvent => {
  const fields = {
    id,
    ...(callId !== undefined && { callId }),
    ...(batchId !== undefined && { batchId }),
    createdAt: DateTime.toDateUtc(createdAt),
    body
  }
  // The body of an erased event has no number, so that it does not decode.
  return type === "batch.completed"
    ? { ...fields, type, data: Option.getOrNull(Option.map(decodeBatchBody(body), ({ data }) => hostBatch(data))) }
    : { ...fields, type, data: Option.getOrNull(Option.map(decodeCallBody(body), ({ data }) => hostCall(data))) }
}

export interface HostDelivery extends Omit<DeliveryRecord, "createdAt" | "nextAttemptAt" | "attempts"> {
  readonly createdAt: Date
  readonly nextAttemptAt?: Date
  /** Oldest first. */
  readonly attempts: ReadonlyArray<Omit<DeliveryAttempt, "at"> & { readonly at: Date }>
}

export const hostDelivery = ({ attempts, createdAt, nextAttemptAt, ...delivery }: DeliveryRecord): HostDelivery => ({
  ...delivery,
  createdAt: DateTime.toDateUtc(createdAt),
  ...(nextAttemptAt !== undefined && { nextAttemptAt: DateTime.toDateUtc(nextAttemptAt) }),
  attempts: attempts.map(({ at, ...attempt }) => ({ ...attempt, at: DateTime.toDateUtc(at) }))
})
