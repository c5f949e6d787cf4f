/** The endpoints of calls, each as one call to an engine service. */
import { Calls, Explanations, Page } from "@outdial/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { CurrentAccess } from "../access/Authorization.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { toList } from "../edge/Lists.ts"
import { idempotency, replayed } from "./Idempotency.ts"

/** Handles the endpoints of `CallsGroup`. */
export const layer = HttpApiBuilder.group(
  Api,
  "calls",
  Effect.fnUntraced(function*(handlers) {
    const calls = yield* Calls.Calls
    const rules = yield* Explanations.Explanations
    return handlers.handleAll({
      start: Effect.fnUntraced(function*({ headers, payload }) {
        const { accountId } = yield* CurrentAccess
        const call = yield* Effect.mapError(calls.start(accountId, payload, idempotency(headers)), ApiErrors.from)
        return call.idempotentReplay === true ? replayed(call) : call
      }),
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const { status, ...rest } = query
        const filter = { ...rest, ...(status !== undefined && { statuses: status }) }
        const found = calls.list(accountId, filter, Page.pageRequest(query))
        const page = yield* Effect.mapError(found, ApiErrors.fromAt("query"))
        return toList(page, (call) => call)
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(calls.get(accountId, params.id), ApiErrors.from)
      }),
      cancel: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(calls.cancel(accountId, params.id), ApiErrors.from)
      }),
      explain: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(rules.explain(accountId, params.id), ApiErrors.from)
      }),
      preview: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(rules.preview(accountId, payload), ApiErrors.from)
      })
    })
  })
)
