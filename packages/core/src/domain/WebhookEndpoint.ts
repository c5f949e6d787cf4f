/**
 * Where an account's events are sent (spec §2.4): one endpoint per account, with the secret that signs its deliveries.
 */
import { DateTime, Duration, Effect, Schema } from "effect"
import { base62 } from "./Base62.ts"
import { defaultSubscription, SubscribableKind } from "./Event.ts"
import * as Example from "./Examples.ts"
import { apart, field } from "./FieldDocs.ts"
import { AccountId, EventId } from "./Ids.ts"
import * as Limits from "./Limits.ts"
import { SealedSecret } from "./SealedSecret.ts"
import { text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** A request to set the endpoint (spec §4.9). */
export const SetWebhook = Schema.Struct({
  url: field(
    text(2048).check(
      // Control characters and white space. The transport decides what else an address must be.
      Schema.isPattern(/^[^\s\p{Cc}]*$/u, { message: "must have no white space and no control characters" })
    ),
    "An https address with a name that resolves to public addresses.",
    "https://example.com/hooks/calls"
  ),
  events: field(
    Schema.optionalKey(
      Schema.Array(
        SubscribableKind.annotate({ message: `must be one of ${SubscribableKind.literals.join(", ")}` })
      ).check(
        Schema.isMinLength(1, { message: "must name at least one kind of event" }),
        Schema.isUnique({ message: "must not repeat a kind" })
      )
    ),
    "The kinds to send; `call.completed` and `call.not_connected` when not given. Every call ends in one of these two. `call.outcome_updated` is not sent yet, as no outcome changes.",
    defaultSubscription
  ),
  enabled: field(
    Schema.optionalKey(Schema.Boolean),
    "`false` keeps the endpoint and sends nothing; `true` when not given.",
    true
  )
})
export type SetWebhook = typeof SetWebhook.Type

/** Why an endpoint was disabled automatically: its receiver reported that it is gone, or has failed for days. */
export const DisabledReason = Schema.Literals(["gone", "failing"])
export type DisabledReason = typeof DisabledReason.Type

/** Absent while it is enabled, and when its owner has disabled it. */
const disabledFields = {
  disabledReason: Schema.optionalKey(DisabledReason),
  disabledAt: Schema.optionalKey(Schema.DateTimeUtc)
}

/** The rule for a request to recover, in the wire form and the TypeScript form. */
export const isWindow = Schema.makeFilter<{ readonly since: DateTime.Utc; readonly until?: DateTime.Utc }>(
  ({ since, until }) =>
    until === undefined || DateTime.isGreaterThanOrEqualTo(until, since) ||
    { path: ["until"], issue: "must not lie before since" }
)

/** A request to send undelivered events again. */
export const RecoverEvents = Schema.Struct({
  since: field(Timestamp, "The start of the window, inclusive.", "2026-03-02T08:00:00.000Z"),
  until: field(Schema.optionalKey(Timestamp), "Its end, exclusive; now when not given.", "2026-03-02T10:00:00.000Z")
}).check(isWindow)
export type RecoverEvents = typeof RecoverEvents.Type

/** An endpoint as it is stored. */
export const WebhookEndpoint = Schema.Struct({
  accountId: AccountId,
  url: Schema.String,
  enabled: Schema.Boolean,
  events: Schema.Array(SubscribableKind),
  secret: SealedSecret,
  /** Secrets of before that still sign, newest first. */
  previousSecrets: Schema.Array(Schema.Struct({
    secret: SealedSecret,
    expiresAt: Schema.DateTimeUtc
  })),
  ...disabledFields,
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type

/** The public form of the endpoint; `secret` only when it was just created. */
export const Webhook = Schema.Struct({
  object: field(Schema.Literal("webhook"), "Always `webhook`.", "webhook"),
  url: field(Schema.String, "Where events are sent.", "https://example.com/hooks/calls"),
  enabled: field(Schema.Boolean, "Whether events are sent.", true),
  events: field(Schema.Array(SubscribableKind), "The kinds of event that are sent.", defaultSubscription),
  secret: apart(
    Schema.optionalKey(Schema.String),
    "The signing secret. Only on the answer that makes it: when the endpoint is first set, and when the secret is rotated.",
    Example.secret
  ),
  secretHint: field(Schema.String, "The end of the secret, to identify it.", "whsec_…9xZ1"),
  previousSecretExpiresAt: apart(
    Schema.optionalKey(Schema.DateTimeUtc),
    "While a previous secret still signs: when the last of them stops.",
    "2026-03-03T10:00:00.000Z"
  ),
  disabledReason: apart(
    disabledFields.disabledReason,
    "Why it was disabled automatically: `gone` if the receiver answered 410, `failing` after five days without a success.",
    "failing"
  ),
  disabledAt: apart(disabledFields.disabledAt, "When that was.", "2026-03-07T10:00:00.000Z"),
  createdAt: field(Schema.DateTimeUtc, "When the endpoint was first set.", Example.created),
  updatedAt: field(Schema.DateTimeUtc, "When it was last changed.", Example.created)
})
export type Webhook = typeof Webhook.Type

/** A request to issue a new secret (spec §4.11). */
export const RotateSecret = Schema.Struct({
  gracePeriodSeconds: field(
    Schema.optionalKey(
      Schema.Int.annotate({ message: "must be a whole number" }).check(
        Schema.isBetween({ minimum: 0, maximum: Duration.toSeconds(Limits.rotationGraceMost) }, {
          message: `must be a whole number of seconds from 0 to ${Duration.toSeconds(Limits.rotationGraceMost)}`
        })
      )
    ),
    "How long the previous secret still signs: from 0, which ends all previous ones at once, to 604800; 86400 when not given.",
    86_400
  )
})
export type RotateSecret = typeof RotateSecret.Type

/** The result of a test event (spec §4.12). */
export const WebhookTest = Schema.Struct({
  object: field(Schema.Literal("webhook_test"), "Always `webhook_test`.", "webhook_test"),
  eventId: field(EventId, "The id of the test event.", Example.eventId),
  delivered: field(Schema.Boolean, "Whether the receiver answered with a status of 200 to 299.", true),
  statusCode: field(
    Schema.optionalKey(Schema.Int),
    "The status of the response; absent without a response.",
    200
  ),
  errorCode: apart(Schema.optionalKey(Schema.String), "What went wrong; absent when it was delivered.", "timeout"),
  durationMs: field(Schema.Int, "How long it took.", 87)
})
export type WebhookTest = typeof WebhookTest.Type

/** The endpoint after its owner has set it again. Its secrets stay, and so does when it was created. */
export const replaced = (before: WebhookEndpoint | undefined, given: WebhookEndpoint): WebhookEndpoint =>
  before === undefined ? given : {
    ...given,
    secret: before.secret,
    previousSecrets: before.previousSecrets,
    createdAt: before.createdAt
  }

/** The result of a request for a new secret. */
export type Rotation =
  | { readonly _tag: "Rotated"; readonly endpoint: WebhookEndpoint }
  /** Too many earlier secrets are alive; the first of them ends then. */
  | { readonly _tag: "LimitReached"; readonly retryAt: DateTime.Utc }

/** The endpoint with a new secret. The previous secret stays valid until `graceUntil`. */
export const rotated = (
  endpoint: WebhookEndpoint,
  options: { readonly secret: SealedSecret; readonly now: DateTime.Utc; readonly graceUntil: DateTime.Utc }
): Rotation => {
  const { graceUntil, now, secret } = options
  if (DateTime.isLessThanOrEqualTo(graceUntil, now)) {
    return { _tag: "Rotated", endpoint: { ...endpoint, secret, previousSecrets: [], updatedAt: now } }
  }
  const alive = alivePrevious(endpoint, now)
  const oldest = alive[Limits.previousSecrets - 1]
  if (oldest !== undefined) return { _tag: "LimitReached", retryAt: firstToEnd(alive, oldest.expiresAt) }
  const previousSecrets = [{ secret: endpoint.secret, expiresAt: graceUntil }, ...alive]
  return { _tag: "Rotated", endpoint: { ...endpoint, secret, previousSecrets, updatedAt: now } }
}

const alivePrevious = ({ previousSecrets }: WebhookEndpoint, now: DateTime.Utc) =>
  previousSecrets.filter(({ expiresAt }) => DateTime.isGreaterThan(expiresAt, now))

const firstToEnd = (secrets: WebhookEndpoint["previousSecrets"], otherwise: DateTime.Utc) =>
  secrets.reduce((first, { expiresAt }) => DateTime.min(first, expiresAt), otherwise)

/** A sealed secret with the account of its endpoint: it opens only for that account. */
export interface SigningSecret extends SealedSecret {
  readonly accountId: AccountId
}

/** The secrets that sign at `now`, newest first. */
export const signingSecrets = (endpoint: WebhookEndpoint, now: DateTime.Utc): ReadonlyArray<SigningSecret> =>
  [endpoint.secret, ...alivePrevious(endpoint, now).map(({ secret }) => secret)].map((secret) => ({
    ...secret,
    accountId: endpoint.accountId
  }))

/** `whsec_` and 48 letters and digits: also valid base64 of 36 bytes, so that both signature schemes can use it. */
export const makeSecret = Effect.map(base62(48), (text) => `whsec_${text}`)

/** `whsec_…` and the last four characters. */
export const secretHint = (secret: string): string => `whsec_…${secret.slice(-4)}`
