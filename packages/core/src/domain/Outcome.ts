/**
 * The result of a conversation (spec §2.2). A stored outcome has been checked against its agent: its disposition is one
 * of the agent's names. The `OutcomeSource` port makes it.
 */
import { Schema } from "effect"
import { outcome } from "./Examples.ts"
import { apart, field } from "./FieldDocs.ts"
import * as Limits from "./Limits.ts"
import { ModelUsage } from "./ModelUsage.ts"
import { text } from "./Text.ts"

const Text = text(Limits.outcomeTextLength)

const Millis = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** One turn: who spoke and what was said, and when, if that is known. */
export const TranscriptTurn = Schema.Struct({
  speaker: field(Schema.Literals(["agent", "contact"]), "`agent`, or `contact` for the callee.", "contact"),
  text: field(Text, "What was said.", "Yes."),
  startMs: apart(
    Schema.optionalKey(Millis),
    "When the turn began, in milliseconds since the call was answered. Absent when the carrier does not report it.",
    4200
  ),
  endMs: apart(Schema.optionalKey(Millis), "When the turn ended, likewise.", 5100),
  interrupted: apart(
    Schema.optionalKey(Schema.Boolean),
    "Whether the contact interrupted the agent. The text is then what the contact heard.",
    true
  )
})
export type TranscriptTurn = typeof TranscriptTurn.Type

/** The transcript in turns that fit an outcome: a longer turn is split into several, without loss. Each has the times of the whole. */
export const turns = (said: ReadonlyArray<TranscriptTurn>): ReadonlyArray<TranscriptTurn> =>
  said.flatMap(({ interrupted, text, ...turn }) =>
    pieces(text).map((piece, index, all) => ({
      ...turn,
      text: piece,
      // The interruption cut the end of the turn.
      ...(interrupted !== undefined && { interrupted: interrupted && index === all.length - 1 })
    }))
  )

/** Whether the contact said something. Providers also report turns in which nothing was recognized. */
export const hasContactWords = (said: ReadonlyArray<Pick<TranscriptTurn, "speaker" | "text">>): boolean =>
  said.some(({ speaker, text }) => speaker === "contact" && isVisible(text))

/** Whether the text has a character that can be seen. Spaces, controls and zero-width characters cannot. */
const isVisible = (text: string): boolean => /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)

const pieces = (text: string): ReadonlyArray<string> => {
  const cut: Array<string> = []
  let rest = text
  while (rest.length > Limits.outcomeTextLength) {
    // Never splits a surrogate pair.
    const end = /[\uD800-\uDBFF]/.test(rest.charAt(Limits.outcomeTextLength - 1))
      ? Limits.outcomeTextLength - 1
      : Limits.outcomeTextLength
    cut.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...cut, rest]
}

const meeting = { requested: true, at: "2026-03-05T14:30:00+01:00", time_text: "Thursday half past two", type: "call" }

/** A meeting that the contact requested. `at` keeps the offset that it was given with. */
export const Meeting = Schema.Struct({
  requested: field(Schema.Boolean, "Whether a meeting was requested.", meeting.requested),
  at: field(
    Schema.optionalKey(Schema.String.check(
      Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/u, {
        message: "must be an ISO-8601 timestamp with Z or an offset"
      })
    )),
    "When, as an ISO-8601 timestamp that keeps the offset it came with.",
    meeting.at
  ),
  timeText: field(Schema.optionalKey(Text), "When, in the callee's words.", meeting.time_text),
  type: field(Schema.optionalKey(Text), "The kind of meeting.", meeting.type)
})

/** A turn of the contact that supports an answer, as an outcome source names it. Without a quote the answer is unknown. */
export const Quote = Schema.Struct({
  quote: field(
    Schema.optionalKey(Text),
    "Words of the contact in one turn, as the source of the outcome quoted them.",
    "Yes."
  ),
  sequence: field(
    Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 }))),
    "The number of that turn in the transcript: 1, 2, 3 and so on.",
    2
  )
})
export type Quote = typeof Quote.Type

/** A quote that was checked. */
export const AnswerEvidence = Schema.Struct({
  status: field(
    Schema.Literals(["verified", "unknown"]),
    "`verified`: the quote stands in that turn of the contact, after the question was asked. It says that the words were said, not that they are true. `unknown`: there is no such quote, and the answer was left out.",
    "verified"
  ),
  ...Quote.fields
})
export type AnswerEvidence = typeof AnswerEvidence.Type

const origin = {
  promptVersion: field(
    Schema.optionalKey(text(Limits.modelNameLength)),
    "The version of the instructions that the language model was given.",
    "outcome-1"
  ),
  usage: field(
    Schema.optionalKey(Schema.Array(ModelUsage).check(Schema.isMaxLength(Limits.usedModels))),
    "What language models took for the outcome, by model; `requests` has the attempts. Absent when none was asked. The `usage` of the call contains it.",
    [{ model: "gpt-5-mini", requests: 1, input_tokens: 900, output_tokens: 120 }]
  )
}

/** Where an outcome comes from, with its quotes as its source names them. */
export const SourceEvidence = Schema.Struct({ answers: Schema.Record(Schema.String, Quote), ...origin })

/** Where an outcome comes from, with its quotes checked. */
export const Evidence = Schema.Struct({
  answers: field(
    Schema.Record(Schema.String, AnswerEvidence),
    "What supports the answer to each of the agent's questions, by the question's text.",
    { "Does the time still suit you?": { status: "verified", quote: "Yes.", sequence: 2 } }
  ),
  ...origin
})
export type Evidence = typeof Evidence.Type

export const Outcome = Schema.Struct({
  disposition: field(Text, "One of the agent's dispositions.", outcome.disposition),
  summary: field(Text, "The conversation in a few sentences.", outcome.summary),
  answers: field(
    Schema.Record(Schema.String, Text),
    "The answer to each of the agent's questions, by the question's text.",
    outcome.answers
  ),
  leadRating: field(
    Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))),
    "How promising the contact is, from 1 to 10.",
    outcome.lead_rating
  ),
  callbackRequested: field(Schema.Boolean, "Whether the callee asked to be called back.", false),
  callbackTimeText: field(
    Schema.optionalKey(Text),
    "When to call back, in the callee's words.",
    "tomorrow after lunch"
  ),
  followUp: field(
    Schema.optionalKey(Schema.Literal("CALL")),
    "`CALL` when another call should follow; otherwise absent.",
    "CALL"
  ),
  followUpNote: field(
    Schema.optionalKey(Text),
    "What the next call is about.",
    "Ask for the second signature."
  ),
  meeting: field(Schema.optionalKey(Meeting), "A meeting that was discussed.", meeting),
  doNotCall: apart(
    Schema.optionalKey(Schema.Boolean),
    "Whether the callee asked not to be called again. The number is then on the do-not-call list; waiting calls to it are `canceled`.",
    true
  ),
  evidence: apart(
    Schema.optionalKey(Evidence),
    "What the contact said that supports the answers, and which language model made the outcome. Absent when its source gives none, and when the transcript was deleted.",
    {
      answers: { "Does the time still suit you?": { status: "verified", quote: "Yes.", sequence: 2 } },
      prompt_version: "outcome-1",
      usage: [{ model: "gpt-5-mini", requests: 1, input_tokens: 900, output_tokens: 120 }]
    }
  ),
  transcript: field(Schema.Array(TranscriptTurn), "What was said, in order.", outcome.transcript)
})
export type Outcome = typeof Outcome.Type

/**
 * An outcome as its source makes it. If it has evidence, the engine leaves out answers whose quotes were not said, and gives the others
 * their status.
 */
export const SourceOutcome = Schema.Struct({ ...Outcome.fields, evidence: Schema.optionalKey(SourceEvidence) })
export type SourceOutcome = typeof SourceOutcome.Type
