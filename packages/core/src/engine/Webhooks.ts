/** The webhook endpoint of an account (spec §4.8–4.10). */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { NotFound, type Unavailable, WebhookUrlNotAllowed } from "../domain/Errors.ts"
import { defaultSubscription } from "../domain/Event.ts"
import type { AccountId } from "../domain/Ids.ts"
import {
  makeSecret,
  secretHint,
  type SetWebhook,
  type Webhook,
  type WebhookEndpoint
} from "../domain/WebhookEndpoint.ts"
import { Storage } from "../ports/Storage.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { orUnavailable } from "./Unavailable.ts"

export class Webhooks extends Context.Service<Webhooks, {
  /** Replaces the endpoint's settings. `secret` is in the answer only when the endpoint was first set. */
  readonly set: (
    accountId: AccountId,
    request: SetWebhook
  ) => Effect.Effect<Webhook, WebhookUrlNotAllowed | Unavailable>
  readonly get: (accountId: AccountId) => Effect.Effect<Webhook, NotFound | Unavailable>
  /** Stops sending events and drops those on their way; calls stay readable. Safe to repeat. */
  readonly remove: (accountId: AccountId) => Effect.Effect<void, Unavailable>
}>()("@outdial/core/engine/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function*() {
      const storage = yield* Storage
      const transport = yield* WebhookTransport
      const random = yield* SecureRandom.SecureRandom
      return Webhooks.of({
        set: Effect.fn("Webhooks.set")(function*(accountId, { enabled = true, events = defaultSubscription, url }) {
          const why = transport.refuses(url)
          if (Option.isSome(why)) return yield* new WebhookUrlNotAllowed({ why: why.value })
          const now = yield* DateTime.now
          const secret = yield* makeSecret.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          const { created, endpoint } = yield* orUnavailable(storage.setWebhook({
            accountId,
            url,
            events,
            enabled,
            secret: Redacted.make(secret, { label: "webhook-secret" }),
            createdAt: now,
            updatedAt: now
          }))
          return { ...shown(endpoint), ...(created && { secret: Redacted.value(endpoint.secret) }) }
        }),
        get: Effect.fn("Webhooks.get")(function*(accountId) {
          const found = yield* orUnavailable(storage.getWebhook(accountId))
          return Option.isSome(found)
            ? shown(found.value)
            : yield* new NotFound({ what: "webhook; PUT /v1/webhook sets one" })
        }),
        remove: Effect.fn("Webhooks.remove")((accountId) => orUnavailable(storage.deleteWebhook(accountId)))
      })
    })
  )
}

const shown = ({ createdAt, enabled, events, secret, updatedAt, url }: WebhookEndpoint): Webhook => ({
  object: "webhook",
  url,
  enabled,
  events,
  secretHint: secretHint(Redacted.value(secret)),
  createdAt,
  updatedAt
})
