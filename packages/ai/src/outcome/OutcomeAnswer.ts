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
  return {
    disposition: answer.disposition,
    summary: summaryOf(answer.summary) ?? scripted.summary,
    answers: Object.fromEntries(given.map(({ answer, question }) => [question, answer])),
    callbackRequested: answer.callback_requested,
    ...(answer.callback_requested && { ...timeOf("callbackTimeText", answer.callback_time) }),
    ...(answer.callback_requested && !doNotCall && { followUp: "CALL" as const }),
    ...(answer.meeting_requested && { meeting: { requested: true, ...timeOf("timeText", answer.meeting_time) } }),
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
  answers.flatMap(({ answer, question: number, quote, turn }) => {
    const question = agent.questions[number - 1]
    const isPossible = turn >= 1 && turn <= transcript.length && quote.length <= Limits.outcomeTextLength
    return question === undefined || !isPossible || !SpokenText.hasWords(answer)
      ? []
      : [{ question, answer: shortened(answer), quote, sequence: turn }]
  })

/** Without a summary that has no words, or repeats the instructions. */
const summaryOf = (summary: string): string | undefined =>
  SpokenText.hasWords(summary) && !PromptGuard.make([], instructed).isUnspeakable(summary)
    ? shortened(summary)
    : undefined

const instructed = PromptGuard.instructedBy(OutcomePrompt.guarded)

const timeOf = <K extends string>(field: K, text: string | null): { readonly [P in K]?: string } =>
  text !== null && SpokenText.hasWords(text) ? { [field]: shortened(text) } as { readonly [P in K]: string } : {}

const shortened = (text: string): string => SpokenText.beginning(text.trim(), Limits.outcomeTextLength)
