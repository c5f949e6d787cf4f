/** What a language model answers about a conversation, and the outcome that follows from it. What the model must not decide is left out. */
import {
  type Agent,
  Limits,
  type ModelUsage,
  type Outcome,
  type OutcomeSource,
  ScriptedOutcome,
  SpokenText
} from "@outdial/core"
import { Schema } from "effect"
import * as PromptGuard from "../agent/PromptGuard.ts"
import * as OutcomePrompt from "./OutcomePrompt.ts"

/** Every field is required, and none has a length: providers refuse schemas with more. */
export const schemaOf = ({ dispositions }: Pick<Agent.AgentBrief, "dispositions">) =>
  Schema.Struct({
    disposition: Schema.Literals(dispositions),
    summary: Schema.String,
    answers: Schema.Array(Schema.Struct({
      question: Schema.Int.annotate({ description: "The number of the question" }),
      answer: Schema.String,
      quote: Schema.String.annotate({ description: "Words of the contact in one turn, word for word" }),
      turn: Schema.Int.annotate({ description: "The number of that turn" })
    })),
    callback_requested: Schema.Boolean,
    callback_time: Schema.NullOr(Schema.String),
    meeting_requested: Schema.Boolean,
    meeting_time: Schema.NullOr(Schema.String),
    do_not_call: Schema.Boolean
  })

export type OutcomeAnswer = ReturnType<typeof schemaOf>["Type"]

/** The outcome, with quotes that the engine will check. An opt-out in well-known words, or noted by the agent, is not the model's to deny. */
export const outcomeOf = (
  answer: OutcomeAnswer,
  conversation: OutcomeSource.Conversation,
  usage: ReadonlyArray<ModelUsage.ModelUsage>
): Outcome.SourceOutcome => {
  const scripted = ScriptedOutcome.scriptedOutcome(conversation)
  const doNotCall = answer.do_not_call || scripted.doNotCall === true
  const given = answersOf(answer, conversation)
  const callbackTimeText = worded(answer.callback_time)
  const timeText = worded(answer.meeting_time)
  return {
    disposition: answer.disposition,
    summary: summaryOf(answer.summary) ?? scripted.summary,
    answers: Object.fromEntries(given.map(({ answer, question }) => [question, answer])),
    callbackRequested: answer.callback_requested,
    ...(answer.callback_requested && callbackTimeText !== undefined && { callbackTimeText }),
    ...(answer.callback_requested && !doNotCall && { followUp: "CALL" as const }),
    ...(answer.meeting_requested && {
      meeting: { requested: true, ...(timeText !== undefined && { timeText }) }
    }),
    ...(doNotCall && { doNotCall }),
    evidence: {
      answers: Object.fromEntries(given.map(({ question, quote, sequence }) => [question, { quote, sequence }])),
      promptVersion: OutcomePrompt.version,
      usage
    },
    transcript: conversation.transcript
  }
}

/** By the agent's questions; the last answer to a question counts. What no turn can have, or no outcome, is left out. */
const answersOf = ({ answers }: OutcomeAnswer, { agent, transcript }: OutcomeSource.Conversation) =>
  answers.flatMap(({ answer: given, question: number, quote, turn }) => {
    const answer = worded(given)
    const question = agent.questions[number - 1]
    const isPossible = turn >= 1 && turn <= transcript.length && quote.length <= Limits.outcomeTextLength
    return question === undefined || answer === undefined || !isPossible
      ? []
      : [{ question, answer, quote, sequence: turn }]
  })

/** Without a summary that has no words, or repeats the instructions. */
const summaryOf = (summary: string): string | undefined => {
  const text = worded(summary)
  return text === undefined || PromptGuard.make([], instructed).isUnspeakable(text) ? undefined : text
}

const instructed = PromptGuard.instructedBy(OutcomePrompt.guarded)

/** In the length of an outcome's texts; `undefined` without a word. */
const worded = (text: string | null): string | undefined =>
  text !== null && SpokenText.hasWords(text)
    ? SpokenText.beginning(text.trim(), Limits.outcomeTextLength)
    : undefined
