/**
 * Port: where telephony providers report progress. Its layer is the engine's, so that a provider depends on nothing
 * above it. Reporting is idempotent and monotonic: a late, repeated or reordered report does no harm.
 */
import { Context, type Effect } from "effect"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { CarrierEvent } from "../domain/CarrierEvent.ts"
import type { CallToEnd } from "./DialRequest.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** What the provider is to do with the call: carry on, or end it because nobody here knows it as live. */
export type Instruction = "continue" | "hang_up"

/** One event of one call. */
export interface Report {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly event: CarrierEvent
}

export class LineReports extends Context.Service<LineReports, {
  readonly report: (report: Report) => Effect.Effect<Instruction, StorageError>
  /** What is known of a call that a report was answered with `hang_up` for; of one that has ended without the carrier's id. */
  readonly callToEnd: (call: Pick<Report, "accountId" | "callId">) => Effect.Effect<CallToEnd, StorageError>
}>()("@outdial/core/telephony/LineReports") {}
