/**
 * Where an account's events go (spec §2.4): one endpoint per account, with the secret its deliveries are signed with.
 */
import { Effect, Schema } from "effect"
import { base62 } from "./Base62.ts"
import { SubscribableKind } from "./Event.ts"
import { AccountId } from "./Ids.ts"
import { text } from "./Text.ts"

/** A request to set the endpoint (spec §4.9). */
export const SetWebhook = Schema.Struct({
  url: text(2048),
  events: Schema.optionalKey(
    Schema.Array(SubscribableKind).check(
      Schema.isMinLength(1, { message: "must name at least one kind of event" }),
      Schema.isUnique({ message: "must not repeat a kind" })
    )
  ),
  enabled: Schema.optionalKey(Schema.Boolean)
})
export type SetWebhook = typeof SetWebhook.Type

/** An endpoint as storage keeps it. */
export const WebhookEndpoint = Schema.Struct({
  accountId: AccountId,
  url: Schema.String,
  enabled: Schema.Boolean,
  events: Schema.Array(SubscribableKind),
  secret: Schema.Redacted(Schema.String),
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type

/** The endpoint as its owner sees it; `secret` only when it has just been made. */
export const Webhook = Schema.Struct({
  object: Schema.Literal("webhook"),
  url: Schema.String,
  enabled: Schema.Boolean,
  events: Schema.Array(SubscribableKind),
  secret: Schema.optionalKey(Schema.String),
  secretHint: Schema.String,
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type Webhook = typeof Webhook.Type

/** `whsec_` and 48 letters and digits: also valid base64 of 36 bytes, so that both signature schemes can use it. */
export const makeSecret = Effect.map(base62(48), (text) => `whsec_${text}`)

/** `whsec_…` and the last four characters. */
export const secretHint = (secret: string): string => `whsec_…${secret.slice(-4)}`
