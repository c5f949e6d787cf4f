/**
 * What a conversation came to (spec §2.2). An outcome that is kept has been checked against its agent: its disposition is
 * one of the agent's names. It is made by the `OutcomeSource` port.
 */
import { Schema } from "effect"
import * as Limits from "./Limits.ts"
import { text } from "./Text.ts"

const Text = text(Limits.outcomeTextLength)

/** Who spoke, and what was said. */
export const TranscriptTurn = Schema.Struct({
  speaker: Schema.Literals(["agent", "contact"]),
  text: Text
})
export type TranscriptTurn = typeof TranscriptTurn.Type

/** A meeting that was asked for; `at` keeps the offset it came with. */
export const Meeting = Schema.Struct({
  requested: Schema.Boolean,
  at: Schema.optionalKey(Schema.String.check(
    Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/u, {
      message: "must be an ISO-8601 timestamp with Z or an offset"
    })
  )),
  timeText: Schema.optionalKey(Text),
  type: Schema.optionalKey(Text)
})

export const Outcome = Schema.Struct({
  disposition: Text,
  summary: Text,
  answers: Schema.Record(Schema.String, Text),
  leadRating: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))),
  callbackRequested: Schema.Boolean,
  callbackTimeText: Schema.optionalKey(Text),
  followUp: Schema.optionalKey(Schema.Literal("CALL")),
  followUpNote: Schema.optionalKey(Text),
  meeting: Schema.optionalKey(Meeting),
  /** The contact asked not to be called again: the number goes on the do-not-call list. */
  doNotCall: Schema.optionalKey(Schema.Boolean),
  transcript: Schema.Array(TranscriptTurn)
})
export type Outcome = typeof Outcome.Type
