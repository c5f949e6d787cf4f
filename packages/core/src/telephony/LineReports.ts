/**
 * Port: telephony providers report progress here. The engine provides its layer, so that a provider depends on nothing
 * above it. Reporting is idempotent and monotonic: a late, repeated or reordered report does no harm.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { AccountId, CallId, CarrierCallId, CarrierName } from "../domain/Ids.ts"
import type { CarrierEvent } from "../domain/CarrierEvent.ts"
import type { CallToEnd } from "./DialRequest.ts"
import type { StorageError } from "../storage/StorageError.ts"

/**
 * The instruction for the provider: continue, or end the carrier call that was reported, because the engine does not know the call as live
 * or because another carrier call is the one that was placed for it. `discard`: delete the recording that was stored, from `Recordings`,
 * because the call must not have one.
 */
export type Instruction = "continue" | "hang_up" | "discard"

/** One event of one call. */
export interface Report {
  readonly accountId: AccountId
  readonly callId: CallId
  /**
   * The carrier's own id of the call that is reported. The first one that is reported for a call, or returned by its dial, is bound to the
   * call; a report with another one changes nothing, and is answered with `hang_up`. That a recording of another one is stored is answered
   * with `discard`, and a cost of another one with `continue`.
   */
  readonly carrierCallId?: CarrierCallId
  readonly event: CarrierEvent
}

export interface UnchargedCall extends Required<Pick<Report, "accountId" | "callId" | "carrierCallId">> {
  readonly endedAt: DateTime.Utc
}

export class LineReports extends Context.Service<LineReports, {
  readonly report: (report: Report) => Effect.Effect<Instruction, StorageError>
  /** Whether another id of the carrier is bound to the call. Its recording must not be stored: it would replace that of the call. */
  readonly isOfAnother: (
    call: Pick<Report, "accountId" | "callId"> & { readonly carrierCallId: CarrierCallId }
  ) => Effect.Effect<boolean, StorageError>
  /**
   * The ended calls of a carrier that were dialed after this instant, of all accounts, for which no `Charged` was reported. For a carrier that
   * has to be asked for its prices: the process that learned of the end may have forgotten it.
   */
  readonly uncharged: (options: {
    readonly carrier: CarrierName
    readonly dialedAfter: DateTime.Utc
  }) => Effect.Effect<ReadonlyArray<UnchargedCall>, StorageError>
  /** The known data of a call whose report was answered with `hang_up`; without the carrier's id if the call has ended. */
  readonly callToEnd: (call: Pick<Report, "accountId" | "callId">) => Effect.Effect<CallToEnd, StorageError>
}>()("@outdial/core/telephony/LineReports") {}
