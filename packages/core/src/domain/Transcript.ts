/** The transcript of a call while it is spoken, and afterwards: numbered turns, and whether more can follow. */
import { Schema } from "effect"
import { callId } from "./Examples.ts"
import { field } from "./FieldDocs.ts"
import { CallId } from "./Ids.ts"
import { TranscriptTurn } from "./Outcome.ts"

/** A place in a transcript: the number of a turn, or 0 for its start. */
export const Sequence = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }, {
    message: "must be the sequence number of a turn, or 0"
  })
)

const { endMs, interrupted, speaker, startMs, text } = TranscriptTurn.fields
const turn = { sequence: 2, speaker: "contact", text: "Yes.", start_ms: 4200, end_ms: 5100 }

export const NumberedTurn = Schema.Struct({
  sequence: field(Sequence, "Its number: 1, 2, 3 and so on. It never changes.", turn.sequence),
  speaker,
  text,
  startMs,
  endMs,
  interrupted
})
export type NumberedTurn = typeof NumberedTurn.Type

export const Transcript = Schema.Struct({
  object: field(Schema.Literal("transcript"), "Always `transcript`.", "transcript"),
  callId: field(CallId, "The call.", callId),
  sealed: field(Schema.Boolean, "Whether the transcript is final: no turn will follow.", false),
  turns: field(Schema.Array(NumberedTurn), "The turns after `after`, in order.", [turn])
})
export type Transcript = typeof Transcript.Type
