/**
 * Port: telephony providers report progress here. The engine provides its layer, so that a provider depends on nothing
 * above it. Reporting is idempotent and monotonic: a late, repeated or reordered report does no harm.
 */
import { Context, type Effect } from "effect"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { CarrierEvent } from "../domain/CarrierEvent.ts"
import type { CallToEnd } from "./DialRequest.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** The instruction for the provider: continue, or end the call because the engine does not know it as live. */
export type Instruction = "continue" | "hang_up"

/** One event of one call. */
export interface Report {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly event: CarrierEvent
}

export class LineReports extends Context.Service<LineReports, {
  readonly report: (report: Report) => Effect.Effect<Instruction, StorageError>
  /** The known data of a call whose report was answered with `hang_up`; without the carrier's id if the call has ended. */
  readonly callToEnd: (call: Pick<Report, "accountId" | "callId">) => Effect.Effect<CallToEnd, StorageError>
}>()("@outdial/core/telephony/LineReports") {}
