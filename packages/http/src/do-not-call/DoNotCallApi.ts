/** The contract of the do-not-call list (`docs/decisions.md`, do-not-call). */
import { type DoNotCall, Example, FieldDocs, Limits, type Page, PhoneNumber, Wire } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { listOf, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { NoBody, RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { body, noQuery, queryOf } from "../edge/RequestFields.ts"

const { field } = FieldDocs

/** A number in any format; its `+` may be percent-encoded. */
const phone_number = field(
  PhoneNumber.WrittenNumber,
  "The number, as in a request for a call. A `+` may be written `%2B`.",
  Example.phoneNumber
)

const AddDoNotCallWire = body(
  "AddDoNotCall",
  Schema.Struct({
    phoneNumbers: field(
      Schema.Array(PhoneNumber.WrittenNumber).check(
        Schema.isMinLength(1, { message: "must have at least one number" }),
        Schema.isMaxLength(Limits.doNotCallSet, {
          message: `must have at most ${Limits.doNotCallSet} numbers; send several requests`
        })
      ),
      "1 to 1,000 numbers. Spaces, dashes, dots and brackets are ignored; a leading `00` is read as `+`. A number without a country code is read in the policy's `default_country`, and rejected if there is none.",
      ["+1 (415) 555-0100", "+14155550101"]
    )
  })
)

const DoNotCallAdditionWire = Schema.Struct({
  object: field(Schema.Literal("do_not_call_addition"), "Always `do_not_call_addition`.", "do_not_call_addition"),
  added: field(Schema.Int, "How many of the numbers were not on the list before.", 2),
  canceled: field(Schema.Int, "How many queued calls to them were canceled.", 1)
}).annotate({ identifier: "DoNotCallAddition" })

const DeletedDoNotCallEntryWire = Wire.snakeKeys(
  Schema.Struct({
    object: Wire.DoNotCallEntryWire.to.fields.object,
    phoneNumber: field(
      PhoneNumber.PhoneNumber,
      "The number, in E.164 format. It is no longer on the list.",
      Example.phoneNumber
    ),
    deleted: field(Schema.Literal(true), "Always `true`.", true)
  }),
  "DeletedDoNotCallEntry"
)

/** The page with phone numbers as ids. */
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
      summary: "List the do-not-call list",
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
        "Adds all of them, or none if one is invalid. Queued calls to them are `canceled`. After the response none of them is dialed. Safe to repeat."
    })),
    HttpApiEndpoint.get("get", "/do_not_call/:phone_number", {
      params: { phone_number },
      query: noQuery,
      success: Wire.DoNotCallEntryWire,
      error: ApiErrors.declare("invalid_request", "not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Look a number up",
      description: "Its entry, or 404 if it is not on the list."
    })),
    HttpApiEndpoint.delete("remove", "/do_not_call/:phone_number", {
      params: { phone_number },
      query: noQuery,
      success: DeletedDoNotCallEntryWire,
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).middleware(NoBody).annotateMerge(OpenApi.annotations({
      summary: "Remove a number from the list",
      description: "It may be called again; canceled calls stay canceled. Safe to repeat."
    }))
  )
  .annotateEndpoints(RequiredScopes, ["do_not_call:manage"])
  .annotateMerge(OpenApi.annotations({
    title: "do-not-call",
    description: "Numbers that are never called. A callee who opts out during a call is added to the list."
  }))
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
