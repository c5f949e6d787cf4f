/** Checks the rows of a batch. */
import { Batches } from "@outdial/core"
import { ApiErrors, batchRowForm } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "./ConsoleApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "batches",
  Effect.fnUntraced(function*(handlers) {
    const batches = yield* Batches.Batches
    return handlers.handleAll({
      check: Effect.fnUntraced(function*({ params: { account }, payload }) {
        const checked = batches.check(account, payload, { rowForm: batchRowForm })
        const { acceptedCount, rejected } = yield* Effect.mapError(checked, ApiErrors.from)
        return { acceptedCount, rejectedCount: rejected.length, rejected }
      })
    })
  })
)
