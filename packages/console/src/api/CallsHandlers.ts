/** The timeline of a call, and its hang-up. */
import { Calls, CallTrace, StatusCode, Timelines } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "./ConsoleApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "calls",
  Effect.fnUntraced(function*(handlers) {
    const calls = yield* Calls.Calls
    const timelines = yield* Timelines.Timelines
    return handlers.handleAll({
      timeline: Effect.fnUntraced(function*({ params: { account, id } }) {
        const items = yield* Effect.mapError(timelines.read(account, id), ApiErrors.from)
        const traceId = yield* CallTrace.whereTraced(
          () => Effect.succeed(CallTrace.traceId(id)),
          () => Effect.succeed(null)
        )
        return {
          traceId,
          items: items.map((item) =>
            item.kind === "held" ? { ...item, reason: StatusCode.reason(item.statusCode) } : item
          )
        }
      }),
      hangUp: ({ params: { account, id } }) => Effect.mapError(calls.hangUp(account, id), ApiErrors.from)
    })
  })
)
