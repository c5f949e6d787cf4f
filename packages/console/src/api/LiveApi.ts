/** The contract of the live stream: one connection of a page, which says what has changed, and follows the transcript of one call. */
import { Ids } from "@outdial/core"
import { ApiErrors, Middleware, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { inAccount } from "./Endpoints.ts"
import { EventStream, LastEventId } from "./EventStream.ts"

/** What a page can show that changes. */
export const Topic = Schema.Literals([
  "overview",
  "calls",
  "batches",
  "agents",
  "policy",
  "do_not_call",
  "webhook",
  "deliveries",
  "keys",
  "carriers"
])
export type Topic = typeof Topic.Type

/** The data of the event `changed`. */
export const Changed = Schema.Struct({
  /** What to read again. */
  topics: Schema.Array(Topic),
  /** Calls that have changed, if that is known and they are few. */
  call_ids: Schema.Array(Ids.CallId)
})

export const LiveGroup = HttpApiGroup.make("live")
  .add(
    HttpApiEndpoint.get("follow", "/accounts/:account/live", {
      params: inAccount,
      headers: { "last-event-id": LastEventId },
      query: RequestFields.queryOf({ call: Schema.optionalKey(Ids.CallId) }),
      // Events `changed`; with `call` also `turn` and `sealed`, as in the stream of a transcript.
      success: EventStream,
      error: ApiErrors.declare("not_found", "too_many_streams", "unavailable")
    }).annotate(MinimumRole, "viewer")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
