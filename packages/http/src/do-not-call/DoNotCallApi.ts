/** The contract of the do-not-call list (`docs/decisions.md`, do-not-call). */
import { Call, type DoNotCall, Limits, type Page, PhoneNumber, Wire } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { listOf, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { noQuery, queryOf } from "../edge/RequestFields.ts"

/** As people write it; a `+` may be percent-encoded, and need not be. */
const phoneNumber = Call.StartCall.fields.phoneNumber

const AddDoNotCallWire = Schema.Struct({
  phone_numbers: Schema.Array(phoneNumber).check(
    Schema.isMinLength(1, { message: "must have at least one number" }),
    Schema.isMaxLength(Limits.doNotCallSet, {
      message: `must have at most ${Limits.doNotCallSet} numbers; send several requests`
    })
  )
}).annotate({ identifier: "AddDoNotCall" })

const DoNotCallAdditionWire = Schema.Struct({
  object: Schema.Literal("do_not_call_addition"),
  added: Schema.Int,
  canceled: Schema.Int
}).annotate({ identifier: "DoNotCallAddition" })

const DeletedDoNotCallEntryWire = Schema.Struct({
  object: Schema.Literal("do_not_call_entry"),
  phone_number: PhoneNumber.PhoneNumber,
  deleted: Schema.Literal(true)
}).annotate({ identifier: "DeletedDoNotCallEntry" })

/** The page, its entries placed by their numbers. */
export const toPage = ({ hasMore, items }: Page.Page<DoNotCall.DoNotCallEntry>) => ({
  hasMore,
  items: items.map((entry) => ({ id: entry.phoneNumber, createdAt: entry.createdAt, entry }))
})

export const entryToWire = (entry: DoNotCall.DoNotCallEntry): typeof Wire.DoNotCallEntryWire.Type => ({
  object: "do_not_call_entry",
  ...entry
})

export const DoNotCallGroup = HttpApiGroup.make("doNotCall")
  .add(
    HttpApiEndpoint.get("list", "/do_not_call", {
      query: queryOf(pageQuery),
      success: listOf(Wire.DoNotCallEntryWire),
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "List the numbers that are not called",
      description: "Your do-not-call list, newest first."
    })),
    HttpApiEndpoint.post("add", "/do_not_call", {
      query: noQuery,
      payload: AddDoNotCallWire,
      success: DoNotCallAdditionWire,
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).middleware(RequestBody).annotateMerge(OpenApi.annotations({
      summary: "Add numbers",
      description:
        "Adds all of them, or none when one is no number. Calls that wait for them are `canceled`; from the answer on none of them is dialed. Safe to repeat."
    })),
    HttpApiEndpoint.get("get", "/do_not_call/:phone_number", {
      params: { phone_number: phoneNumber },
      query: noQuery,
      success: Wire.DoNotCallEntryWire,
      error: ApiErrors.declare("invalid_request", "not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Look a number up",
      description: "Its entry; 404 when it is not on the list."
    })),
    HttpApiEndpoint.delete("remove", "/do_not_call/:phone_number", {
      params: { phone_number: phoneNumber },
      query: noQuery,
      success: DeletedDoNotCallEntryWire,
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Take a number off the list",
      description: "It may be called again; calls that were canceled stay so. Safe to repeat."
    }))
  )
  .annotateEndpoints(RequiredScopes, ["do_not_call:manage"])
  .annotateMerge(OpenApi.annotations({ title: "do-not-call" }))
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
