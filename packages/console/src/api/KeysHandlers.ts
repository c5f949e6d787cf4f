/** API keys of an account. */
import { ApiKeys, Errors } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AddDetails } from "../access/Audited.ts"
import { ConsoleApi } from "./ConsoleApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "keys",
  Effect.fnUntraced(function*(handlers) {
    const keys = yield* ApiKeys.ApiKeys
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ params: { account } }) {
        return { data: yield* Effect.mapError(keys.list(account), ApiErrors.from) }
      }),
      create: Effect.fnUntraced(function*({ params: { account }, payload }) {
        const { key, secret } = yield* Effect.mapError(keys.create(account, payload), ApiErrors.from)
        yield* (yield* AddDetails)({ key: key.id })
        return { ...key, apiKey: Redacted.value(secret) }
      }),
      revoke: Effect.fnUntraced(function*({ params: { account, id } }) {
        if (!(yield* Effect.mapError(keys.revoke(account, id), ApiErrors.from))) {
          return yield* ApiErrors.from(new Errors.NotFound({ what: `key ${id}` }))
        }
        return { id, revoked: true as const }
      })
    })
  })
)
