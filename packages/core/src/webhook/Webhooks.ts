/** The webhook endpoint of an account (spec §4.8–4.12). */
import { Context, DateTime, Duration, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  type NotFound,
  noWebhook,
  RateLimited,
  RotationLimitReached,
  Unavailable,
  WebhookDisabled,
  WebhookUrlNotAllowed
} from "../domain/Errors.ts"
import { defaultSubscription } from "../domain/Event.ts"
import { type AccountId, makeEventId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import {
  makeSecret,
  type RotateSecret,
  secretHint,
  type SetWebhook,
  signingSecrets,
  type Webhook,
  type WebhookEndpoint,
  type WebhookTest
} from "../domain/WebhookEndpoint.ts"
import { SecretBox } from "../secret/SecretBox.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { WebhookTransport } from "./WebhookTransport.ts"
import { testEventBody } from "../rules/event/EventBodies.ts"
import * as WebhookUrl from "../rules/webhook/WebhookUrl.ts"
import * as DeliveryAttempt from "./DeliveryAttempt.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { AccessStore } from "../access/AccessStore.ts"
import { WebhookStore } from "./WebhookStore.ts"

export class Webhooks extends Context.Service<Webhooks, {
  /** Replaces the endpoint's settings. Enabling it again sends held events. `secret` is returned only when the endpoint was first set. */
  readonly set: (
    accountId: AccountId,
    request: SetWebhook
  ) => Effect.Effect<Webhook, WebhookUrlNotAllowed | Unavailable>
  readonly get: (accountId: AccountId) => Effect.Effect<Webhook, NotFound | Unavailable>
  /** Issues a new secret, returned only here. The previous one still signs during the grace period. */
  readonly rotateSecret: (
    accountId: AccountId,
    request: RotateSecret
  ) => Effect.Effect<Webhook, NotFound | RotationLimitReached | Unavailable>
  /** Sends one signed `webhook.test` now, whatever the endpoint subscribes to. It is not retried. */
  readonly test: (
    accountId: AccountId
  ) => Effect.Effect<WebhookTest, NotFound | RateLimited | Unavailable | WebhookDisabled>
  /** Stops sending events and drops pending deliveries; calls stay readable. Safe to repeat. */
  readonly remove: (accountId: AccountId) => Effect.Effect<void, Unavailable>
}>()("@outdial/core/webhook/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function*() {
      const box = yield* SecretBox
      const accessStore = yield* AccessStore
      const webhookStore = yield* WebhookStore
      const transport = yield* WebhookTransport
      const random = yield* SecureRandom.SecureRandom
      const wakeups = yield* Wakeups
      const send = yield* DeliveryAttempt.makeSender

      /** A new secret of the account, in plain text for its owner and sealed for storage. */
      const newSecret = Effect.fnUntraced(function*(accountId: AccountId) {
        const text = yield* makeSecret.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        const secret = Redacted.make(text, { label: "webhook-secret" })
        const sealed = yield* Effect.mapError(box.seal(accountId, secret), (cause) => new Unavailable({ cause }))
        return { secret, sealed: { ...sealed, hint: secretHint(text) } }
      })

      const existing = Effect.fnUntraced(function*(accountId: AccountId) {
        const found = yield* orUnavailable(webhookStore.get(accountId))
        return Option.isSome(found) ? found.value : yield* noWebhook
      })

      return Webhooks.of({
        set: Effect.fn("Webhooks.set")(function*(accountId, { enabled = true, events = defaultSubscription, url }) {
          const why = transport.refuses(url)
          if (Option.isSome(why)) return yield* new WebhookUrlNotAllowed({ why: why.value })
          const requested = WebhookUrl.rewritten(url)
          if (requested !== undefined) {
            return yield* new WebhookUrlNotAllowed({ why: `must be written as it is requested: ${requested}` })
          }
          const now = yield* DateTime.now
          const { sealed, secret } = yield* newSecret(accountId)
          const { created, endpoint } = yield* orUnavailable(webhookStore.set({
            accountId,
            url,
            events,
            enabled,
            secret: sealed,
            previousSecrets: [],
            createdAt: now,
            updatedAt: now
          }))
          // Enabling it may set deliveries free.
          yield* wakeups.notify("delivery", accountId)
          return { ...shown(endpoint, now), ...(created && { secret: Redacted.value(secret) }) }
        }),
        get: Effect.fn("Webhooks.get")(function*(accountId) {
          return shown(yield* existing(accountId), yield* DateTime.now)
        }),
        rotateSecret: Effect.fn("Webhooks.rotateSecret")(function*(accountId, { gracePeriodSeconds }) {
          const now = yield* DateTime.now
          const grace = gracePeriodSeconds === undefined ? Limits.rotationGrace : Duration.seconds(gracePeriodSeconds)
          const { sealed, secret } = yield* newSecret(accountId)
          const rotation = yield* orUnavailable(webhookStore.rotateSecret({
            accountId,
            secret: sealed,
            now,
            graceUntil: DateTime.addDuration(now, grace)
          }))
          if (Option.isNone(rotation)) return yield* noWebhook
          if (rotation.value._tag === "LimitReached") {
            return yield* new RotationLimitReached({ retryAt: rotation.value.retryAt })
          }
          return { ...shown(rotation.value.endpoint, now), secret: Redacted.value(secret) }
        }),
        test: Effect.fn("Webhooks.test")(function*(accountId) {
          const endpoint = yield* existing(accountId)
          if (!endpoint.enabled) return yield* new WebhookDisabled()
          const startedAt = yield* DateTime.now
          const limit = Limits.testEventsPerMinute
          const verdict = yield* orUnavailable(
            accessStore.takeFromWindow({ accountId, name: "webhook_test", now: startedAt, limit })
          )
          if (!verdict.allowed) return yield* new RateLimited({ limit, retryAfter: verdict.retryAfter })
          const eventId = yield* makeEventId.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          const target = { url: endpoint.url, secrets: signingSecrets(endpoint, startedAt) }
          const answer = yield* Effect.result(
            send(target, { id: eventId, body: testEventBody(eventId, startedAt) })
          )
          const { at: _, ...attempt } = DeliveryAttempt.made(answer, startedAt, yield* DateTime.now)
          return { object: "webhook_test", eventId, delivered: attempt.errorCode === undefined, ...attempt }
        }),
        remove: Effect.fn("Webhooks.remove")((accountId) => orUnavailable(webhookStore.delete(accountId)))
      })
    })
  )
}

const shown = (endpoint: WebhookEndpoint, now: DateTime.Utc): Webhook => {
  const { createdAt, disabledAt, disabledReason, enabled, events, previousSecrets, secret, updatedAt, url } = endpoint
  const lastEnd = previousSecrets.map(({ expiresAt }) => expiresAt).sort(DateTime.Order).at(-1)
  return {
    object: "webhook",
    url,
    enabled,
    events,
    secretHint: secret.hint,
    ...(lastEnd !== undefined && DateTime.isGreaterThan(lastEnd, now) && { previousSecretExpiresAt: lastEnd }),
    ...(disabledReason !== undefined && { disabledReason }),
    ...(disabledAt !== undefined && { disabledAt }),
    createdAt,
    updatedAt
  }
}
