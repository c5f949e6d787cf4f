/** The endpoints of the do-not-call list, each as one call to an engine service. */
import { DoNotCallList, Page } from "@outdial/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { CurrentAccess } from "../access/Authorization.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { toList } from "../edge/Lists.ts"
import { entryToWire, toPage } from "./DoNotCallApi.ts"

/** Handles the endpoints of `DoNotCallGroup`. */
export const layer = HttpApiBuilder.group(
  Api,
  "doNotCall",
  Effect.fnUntraced(function*(handlers) {
    const doNotCall = yield* DoNotCallList.DoNotCallList
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const page = yield* Effect.mapError(doNotCall.list(accountId, Page.pageRequest(query)), ApiErrors.from)
        return toList(toPage(page), ({ entry }) => entryToWire(entry))
      }),
      add: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        const result = yield* Effect.mapError(doNotCall.add(accountId, payload.phoneNumbers), ApiErrors.from)
        return { object: "do_not_call_addition" as const, ...result }
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        const found = doNotCall.get(accountId, params.phone_number)
        return entryToWire(yield* Effect.mapError(found, ApiErrors.fromAt("path")))
      }),
      remove: Effect.fnUntraced(function*({ params: { phone_number: written } }) {
        const { accountId } = yield* CurrentAccess
        const phoneNumber = yield* Effect.mapError(doNotCall.numberOf(accountId, written), ApiErrors.fromAt("path"))
        yield* doNotCall.remove(accountId, phoneNumber).pipe(
          // The number is off the list, as requested.
          Effect.catchTag("NotFound", () => Effect.void),
          Effect.mapError(ApiErrors.from)
        )
        return { object: "do_not_call_entry" as const, phoneNumber, deleted: true as const }
      })
    })
  })
)
