/** The endpoints of the webhook, each as one call to an engine service. */
import { Webhooks } from "@outdial/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { CurrentAccess } from "../access/Authorization.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"

/** Handles the endpoints of `WebhookGroup`. */
export const layer = HttpApiBuilder.group(
  Api,
  "webhook",
  Effect.fnUntraced(function*(handlers) {
    const webhooks = yield* Webhooks.Webhooks
    return handlers.handleAll({
      set: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(webhooks.set(accountId, payload), ApiErrors.from)
      }),
      get: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(webhooks.get(accountId), ApiErrors.from)
      }),
      remove: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentAccess
        yield* Effect.mapError(webhooks.remove(accountId), ApiErrors.from)
        return { object: "webhook" as const, deleted: true as const }
      }),
      rotateSecret: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(webhooks.rotateSecret(accountId, payload ?? {}), ApiErrors.from)
      }),
      test: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(webhooks.test(accountId), ApiErrors.from)
      })
    })
  })
)
