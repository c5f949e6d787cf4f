/**
 * Requests for calls, single or as rows of a batch: the domain's fields under their wire names, so that problems are reported
 * in wire names.
 */
import { Batch, Call, PreviewCall } from "@outdial/core"
import { body } from "../edge/RequestFields.ts"

/** A request to start one call (spec §4.1). */
export const StartCallBody = body("StartCall", Call.StartCall)

/** A request for a preview. A request for a call is also valid. */
export const PreviewCallWire = body("PreviewCall", PreviewCall.PreviewCall)

/** One row of a batch (spec §4.5). */
export const BatchRowWire = body("BatchRow", Batch.BatchRow)
