/** Requests as hosts without Effect write them, and how they are read. */
import { Schema } from "effect"
import { AgentDefinition } from "../domain/Agent.ts"
import { Scope } from "../domain/ApiKey.ts"
import { HostStartCall } from "../domain/Call.ts"
import { SubscribableKind } from "../domain/Event.ts"
import { IdempotencyKey } from "../domain/Idempotency.ts"
import { AccountId, AgentId, ApiKeyId, BatchId, CallId, DeliveryId, EventId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { PolicyDocument } from "../domain/Policy.ts"
import { HostPreviewCall } from "../domain/PreviewCall.ts"
import * as Queries from "../domain/Queries.ts"
import { UsageRange } from "../domain/Usage.ts"
import { nonEmptyText } from "../domain/Text.ts"
import { HostInstant } from "../domain/Timestamp.ts"
import { Variables } from "../domain/Variables.ts"
import * as FeedCursor from "../domain/FeedCursor.ts"
import { isWindow, RotateSecret, SetWebhook } from "../domain/WebhookEndpoint.ts"
import * as Decoding from "../domain/Decoding.ts"

/** The time range of undelivered events. */
export const RecoverRequest = Schema.Struct({
  since: HostInstant,
  until: Schema.optionalKey(HostInstant)
}).check(isWindow)

/** How to go on in the feed. */
export const FeedRequest = Schema.Struct({
  limit: Queries.page.limit,
  /** The `nextCursor` of before; from the beginning when not given. */
  cursor: Schema.optionalKey(FeedCursor.Cursor("nextCursor"))
})

const Subscription = Schema.Struct({
  name: nonEmptyText(Limits.subscriberNameLength),
  handler: Schema.declare((value) => typeof value === "function").annotate({ message: "must be a function" }),
  events: Schema.optionalKey(
    Schema.Array(SubscribableKind).check(Schema.isMinLength(1, { message: "must name at least one kind of event" }))
  )
})

/** A key to create. */
export const NewKey = Schema.Struct({
  name: nonEmptyText(200),
  scopes: Schema.Array(Scope).check(Schema.isMinLength(1, { message: "must name at least one scope" })),
  expiresAt: Schema.optionalKey(HostInstant)
})

/** An agent to create or, with its `id`, to replace. */
export type HostAgentDefinition = typeof AgentDefinition.Encoded
/** When calls may be dialed. What is left out takes its default. */
export type HostPolicy = typeof PolicyDocument.Encoded
/** A request to start one call. */
export type HostCallRequest = typeof HostStartCall.Encoded
/** Which page of a list. */
export type HostPageQuery = typeof Queries.PageQuery.Encoded
/** Which calls, and which page of them. A filter that is left out matches all. */
export type HostCallQuery = typeof Queries.CallQuery.Encoded
/** Which events, and which page of them. */
export type HostEventQuery = typeof Queries.EventQuery.Encoded
/** Which deliveries, and which page of them. */
export type HostDeliveryQuery = typeof Queries.DeliveryQuery.Encoded
/** Which turns of a transcript. */
export type HostTranscriptQuery = typeof Queries.TranscriptQuery.Encoded
/** Where to continue in the event feed. */
export type HostFeedQuery = typeof FeedRequest.Encoded
/** A window of time. */
export type HostRecovery = typeof RecoverRequest.Encoded
/** An API key to create. */
export type HostNewKey = typeof NewKey.Encoded
/** Where events are sent. */
export type HostWebhookSettings = typeof SetWebhook.Encoded
/** How a signing secret is replaced. */
export type HostSecretRotation = typeof RotateSecret.Encoded
/** The first and the last day, as dates such as `2026-12-25`. */
export type HostUsageRange = typeof UsageRange.Encoded
/** A call to preview; only the number is required. */
export type HostPreview = typeof HostPreviewCall.Encoded

/** An account's settings. An absent field is unchanged. */
export interface HostSettings {
  readonly name?: string
  /** Calls at once. */
  readonly lines?: number
  /** While true no phone rings. */
  readonly paused?: boolean
  /** The whole policy: an absent field takes its default. */
  readonly policy?: HostPolicy
}

/** A new account: its settings, and an id of the host's choice in place of a random one. */
export interface HostNewAccount extends HostSettings {
  readonly name: string
  /** `acct_` and letters and digits. If an account already has this id, it is returned unchanged. */
  readonly id?: string
}

const Settings = Schema.Struct({
  name: Schema.optionalKey(nonEmptyText(200)),
  lines: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }, { message: "must be 0 to 10000" }))
  ),
  paused: Schema.optionalKey(Schema.Boolean),
  policy: Schema.optionalKey(Schema.Unknown)
})

/** The policy of decoded settings. `Accounts` validates it. */
export const written = (policy: unknown): { readonly policy?: PolicyDocument } =>
  policy === undefined ? {} : { policy: policy as PolicyDocument }

/** Reads a host's request. A key with the value `undefined` counts as absent, as in plain JavaScript. */
const decoding = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  options?: Parameters<typeof Decoding.decoding>[1]
) => {
  const decode = Decoding.decoding(schema, options)
  return (input: unknown) => decode(withoutUndefined(input))
}

const withoutUndefined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  // Only plain objects: a Date, for example, is a value.
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => part === undefined ? [] : [[key, withoutUndefined(part)]])
  )
}

export const decodeAgent = decoding(AgentDefinition)
export const decodeVariables = decoding(Variables, { at: "variables" })
export const decodeCall = decoding(HostStartCall)
export const decodeCallId = decoding(CallId, { at: "id" })
export const decodeBatchId = decoding(BatchId, { at: "id" })
export const decodeBatch = decoding(Schema.Struct({
  agentId: Schema.optionalKey(AgentId),
  calls: Schema.Array(Schema.Unknown),
  test: Schema.optionalKey(Schema.Boolean)
}))
export const decodeKey = decoding(Schema.Struct({ idempotencyKey: Schema.optionalKey(IdempotencyKey) }))
export const decodeAgentName = decoding(Schema.String, { at: "name" })
export const decodeAgentId = decoding(AgentId, { at: "id" })
export const decodeEventId = decoding(EventId, { at: "id" })
export const decodeDeliveryId = decoding(DeliveryId, { at: "id" })
export const decodeEventList = decoding(Queries.EventQuery)
export const decodeDeliveryList = decoding(Queries.DeliveryQuery)
export const decodeNewKey = decoding(NewKey)
export const decodeKeyId = decoding(ApiKeyId, { at: "id" })
export const decodeWebhook = decoding(SetWebhook)
export const decodeRotation = decoding(RotateSecret)
export const decodeRecovery = decoding(RecoverRequest)
export const decodeTranscriptQuery = decoding(Queries.TranscriptQuery)
export const decodeFeed = decoding(FeedRequest)
export const decodeSubscription = decoding(Subscription)
export const decodePage = decoding(Queries.PageQuery)
export const decodePreview = decoding(HostPreviewCall)
// The engine reads the numbers, as people write them.
export const decodeUsageRange = decoding(UsageRange)
export const decodeNumber = decoding(Schema.String, { at: "phoneNumber" })
export const decodeNumbers = decoding(Schema.Array(Schema.String), { at: "phoneNumbers" })
export const decodeLines = decoding(Schema.Array(Schema.String), { at: "lines" })
export const decodeSettings = decoding(Settings)
export const decodeNewAccount = decoding(
  Schema.Struct({ ...Settings.fields, name: nonEmptyText(200), id: Schema.optionalKey(AccountId) })
)
export const decodeCallList = decoding(Queries.CallQuery)
