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

/** What was said, in turns that an outcome can hold: a longer one becomes several, and nothing is lost. */
export const turns = (said: ReadonlyArray<TranscriptTurn>): ReadonlyArray<TranscriptTurn> =>
  said.flatMap(({ speaker, text }) => pieces(text).map((piece) => ({ speaker, text: piece })))

const pieces = (text: string): ReadonlyArray<string> => {
  const cut: Array<string> = []
  let rest = text
  while (rest.length > Limits.outcomeTextLength) {
    // Never between the two halves of one character.
    const end = /[\uD800-\uDBFF]/.test(rest.charAt(Limits.outcomeTextLength - 1))
      ? Limits.outcomeTextLength - 1
      : Limits.outcomeTextLength
    cut.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...cut, rest]
}

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
