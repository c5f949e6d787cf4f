/** The endpoints of calls, each as one call to an engine service. */
import { Calls, Explanations, Page, Transcripts } from "@outdial/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { CurrentAccess } from "../access/Authorization.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { toList } from "../edge/Lists.ts"
import { idempotency, replayed } from "./Idempotency.ts"
import * as TranscriptStream from "./TranscriptStream.ts"

/** Handles the endpoints of `CallsGroup`. */
export const layer = HttpApiBuilder.group(
  Api,
  "calls",
  Effect.fnUntraced(function*(handlers) {
    const calls = yield* Calls.Calls
    const rules = yield* Explanations.Explanations
    const transcripts = yield* Transcripts.Transcripts
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
      transcript: Effect.fnUntraced(function*({ headers, params, query: { after = 0 }, request }) {
        const { accountId, apiKeyId, principal } = yield* CurrentAccess
        if (!TranscriptStream.isAccepted(request)) {
          return yield* Effect.mapError(transcripts.get(accountId, params.id, { after }), ApiErrors.from)
        }
        const from = { after: headers["last-event-id"] ?? after, apiKeyId, principal }
        const follower = yield* Effect.mapError(transcripts.follow(accountId, params.id, from), ApiErrors.from)
        return yield* TranscriptStream.respond(params.id, follower)
      }),
      preview: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(rules.preview(accountId, payload), ApiErrors.from)
      })
    })
  })
)
