/** What a carrier gets to know of a call, and what it reports. */
import { type DateTime, Schema } from "effect"
import { AgentBrief } from "../domain/Agent.ts"
import { Contact } from "../domain/Call.ts"
import { AccountId, CallId, type CarrierCallId } from "../domain/Ids.ts"
import type { Ended } from "../domain/CarrierEvent.ts"
import { PhoneNumber } from "../domain/PhoneNumber.ts"

export const DialRequest = Schema.Struct({
  accountId: AccountId,
  /** Sent to the carrier and returned with every report. */
  callId: CallId,
  phoneNumber: PhoneNumber,
  callerId: Schema.optionalKey(PhoneNumber),
  contact: Contact,
  agent: AgentBrief,
  /**
   * No phone may ring for the call from then on: its hours have ended, or it may count as lost. A provider that has waited must check the
   * clock right before it sends, because a process can be suspended at any point, and fail with `unavailable` when it is too late.
   */
  dialBy: Schema.DateTimeUtcFromString
})
export type DialRequest = typeof DialRequest.Type

/** A call that was submitted to the carrier; without the carrier's own id when its answer was lost. */
export interface PlacedCall {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly carrierCallId?: CarrierCallId
  readonly phoneNumber: PhoneNumber
  /** As it went with the dial. */
  readonly callerId?: PhoneNumber
  /** When the carrier was asked to dial, at the earliest: the request follows within seconds. */
  readonly submittedAt: DateTime.Utc
}

/** A call to end, with the known data. For a call that the engine does not know as live: the two ids and the data of its report. */
export interface CallToEnd
  extends
    Pick<PlacedCall, "accountId" | "callId" | "carrierCallId">,
    Partial<Pick<PlacedCall, "phoneNumber" | "callerId" | "submittedAt">>
{}

/** The carrier's state of a placed call. */
export type CarrierView =
  | { readonly _tag: "Live" }
  | { readonly _tag: "Ended"; readonly event: Ended }
  /** The carrier does not know the call, or not yet: see `notFoundLag`. */
  | { readonly _tag: "NotFound" }
  | { readonly _tag: "Unreachable" }

/**
 * Why a carrier did not take a call: `refused`, nothing rang and nothing will; `unavailable`, it is proven that nothing was
 * sent; `not_authorized`, nothing rang because the carrier takes no call of the operator's account, such as with wrong credentials,
 * without a permission or with an unpaid bill: dialing over the carrier pauses; `unknown`, it may have rung, and only `lookUp` can settle
 * it.
 */
export class DialFailed extends Schema.TaggedError<DialFailed>()("DialFailed", {
  reason: Schema.Literals(["refused", "unavailable", "not_authorized", "unknown"]),
  cause: Schema.Defect(),
  /** In the carrier's own words: of a refusal shown on the call, of `not_authorized` to operators. */
  carrierReason: Schema.optionalKey(
    Schema.Struct({ code: Schema.optionalKey(Schema.String), message: Schema.optionalKey(Schema.String) })
  )
}) {}
