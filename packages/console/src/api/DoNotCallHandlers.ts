/** Imports a do-not-call list. */
import { DoNotCallList } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "./ConsoleApi.ts"
import { mostRejected } from "./DoNotCallApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "doNotCall",
  Effect.fnUntraced(function*(handlers) {
    const list = yield* DoNotCallList.DoNotCallList
    return handlers.handleAll({
      import: Effect.fnUntraced(function*({ params: { account }, payload: { text } }) {
        const imported = list.importLines(account, text.split(/\r\n|\r|\n/u))
        const { rejected, ...counts } = yield* Effect.mapError(imported, ApiErrors.from)
        return { ...counts, rejectedCount: rejected.length, rejected: rejected.slice(0, mostRejected) }
      })
    })
  })
)
