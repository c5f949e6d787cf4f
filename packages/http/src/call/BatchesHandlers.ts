/** The endpoints of batches, each as one call to an engine service. */
import { Batches, Page } from "@outdial/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { CurrentAccess } from "../access/Authorization.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { toList } from "../edge/Lists.ts"
import { rowForm } from "./BatchesApi.ts"
import { idempotency, replayed } from "./Idempotency.ts"

/** Handles the endpoints of `BatchesGroup`. */
export const layer = HttpApiBuilder.group(
  Api,
  "batches",
  Effect.fnUntraced(function*(handlers) {
    const batches = yield* Batches.Batches
    return handlers.handleAll({
      start: Effect.fnUntraced(function*({ headers, payload }) {
        const { accountId } = yield* CurrentAccess
        const options = { ...idempotency(headers), rowForm }
        const batch = yield* Effect.mapError(batches.start(accountId, payload, options), ApiErrors.from)
        return batch.idempotentReplay === true ? replayed(batch) : batch
      }),
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const page = yield* Effect.mapError(batches.list(accountId, Page.pageRequest(query)), ApiErrors.from)
        return toList(page, (batch) => batch)
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(batches.get(accountId, params.id), ApiErrors.from)
      }),
      cancel: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(batches.cancel(accountId, params.id), ApiErrors.from)
      })
    })
  })
)
