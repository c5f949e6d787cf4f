/**
 * Requests for calls, alone or as rows of a batch: the very fields of the domain under their wire names, so that what is
 * wrong is reported in wire names.
 */
import { Batch, Call, PreviewCall } from "@outdial/core"
import { body } from "../edge/RequestFields.ts"

/** A request to start one call (spec §4.1). */
export const StartCallBody = body("StartCall", Call.StartCall)

/** A request for a preview: one for a call may be sent as it is. */
export const PreviewCallWire = body("PreviewCall", PreviewCall.PreviewCall)

/** One row of a batch (spec §4.5). */
export const BatchRowWire = body("BatchRow", Batch.BatchRow)
