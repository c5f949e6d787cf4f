/**
 * Port: makes the outcome of a conversation from its transcript. The outcome is checked against the agent before it is
 * stored. `layerDefault` works without a language model: it takes what the agent noted.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { type CarrierName, simulatedCarrier } from "../domain/Ids.ts"
import { ModelUsage } from "../domain/ModelUsage.ts"
import type { AgentBrief } from "../domain/Agent.ts"
import type { SourceOutcome, TranscriptTurn } from "../domain/Outcome.ts"
import type { PhrasesByLanguage } from "../rules/conversation/Phrases.ts"
import type { Conversation } from "./EndedConversation.ts"
import { scriptedOutcome } from "./ScriptedOutcome.ts"

export type { Conversation } from "./EndedConversation.ts"

/** Making the outcome failed; it is tried again until ten minutes after the call's end. */
export class OutcomeFailed extends Schema.TaggedError<OutcomeFailed>()("OutcomeFailed", {
  cause: Schema.Defect(),
  /** Another attempt would fail likewise: there is none. */
  isFinal: Schema.optionalKey(Schema.Boolean),
  /** Not to be tried again before. */
  retryAfter: Schema.optionalKey(Schema.Duration),
  /** What language models took for the attempt. */
  usage: Schema.optionalKey(Schema.Array(ModelUsage))
}) {}

/** Where a conversation comes from. */
export interface Origin extends Pick<Conversation, "isHeld"> {
  /** The carrier of the call; absent in calls of a version that did not name carriers. */
  readonly carrier?: CarrierName
}

export class OutcomeSource extends Context.Service<OutcomeSource, {
  /** The calls that this source makes outcomes of. Default: every call. */
  readonly makesFor?: (origin: Origin) => boolean
  readonly make: (conversation: Conversation) => Effect.Effect<SourceOutcome, OutcomeFailed>
  /** The outcome when making it has failed for good; `undefined` for none. Default: none. */
  readonly fallback?: (conversation: Conversation) => SourceOutcome | undefined
}>()("@outdial/core/outcome/OutcomeSource") {
  /**
   * As `layerScripted` for conversations that Outdial held, and a sample for other simulated calls: the first disposition, and for each
   * question what the contact said next. No outcome for other calls, for which both would be an invention.
   */
  static readonly layerDefault = Layer.succeed(OutcomeSource, {
    makesFor: ({ carrier, isHeld }) => isHeld || carrier === simulatedCarrier,
    make: (conversation) => Effect.succeed(conversation.isHeld ? scriptedOutcome(conversation) : sample(conversation))
  })

  /**
   * From what the scripted agent noted: the answers in the contact's own words, and a disposition by what happened. `phrases` are those
   * of the agent.
   */
  static readonly layerScripted = ({ phrases = {} }: { readonly phrases?: PhrasesByLanguage } = {}) =>
    Layer.succeed(OutcomeSource, {
      make: (conversation) => Effect.succeed(scriptedOutcome(conversation, phrases))
    })

  /** Makes outcomes with your function. When it throws or rejects it is called again later, until ten minutes after the call's end. */
  static readonly layerOf = (
    make: (
      conversation: Conversation,
      options: { readonly signal: AbortSignal }
    ) => SourceOutcome | Promise<SourceOutcome>
  ) =>
    Layer.succeed(OutcomeSource, {
      make: (conversation) =>
        Effect.tryPromise({
          try: async (signal) => make(conversation, { signal }),
          catch: (cause) => new OutcomeFailed({ cause })
        })
    })
}

/** The sample outcome of a conversation. */
export const sample = (
  { agent, transcript }: Pick<Conversation, "agent" | "transcript">
): Omit<SourceOutcome, "evidence"> => ({
  disposition: agent.dispositions[0] ?? "completed",
  summary: `${agent.name} spoke with the contact and asked ${count(agent.questions.length, "question")}.`,
  answers: Object.fromEntries(agent.questions.flatMap((question) => {
    const asked = transcript.findIndex((turn) => turn.speaker === "agent" && turn.text.includes(question))
    const reply = asked < 0 ? undefined : transcript.slice(asked + 1).find((turn) => turn.speaker === "contact")
    return reply === undefined ? [] : [[question, reply.text]]
  })),
  leadRating: 7,
  callbackRequested: false,
  transcript
})

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`

/** A conversation such as a willing contact would have: the script, then each question with an answer. */
export const sampleTranscript = (agent: Pick<AgentBrief, "script" | "questions">): ReadonlyArray<TranscriptTurn> => [
  { speaker: "agent", text: agent.script.slice(0, 4000) },
  { speaker: "contact", text: "Yes, this is a good time." },
  ...agent.questions.flatMap((question, index): ReadonlyArray<TranscriptTurn> => [
    { speaker: "agent", text: question },
    { speaker: "contact", text: replies[index % replies.length] ?? replies[0] }
  ]),
  { speaker: "agent", text: "Thank you for your time. Goodbye." }
]

const replies = ["Yes, that suits me.", "I think so.", "No, not at the moment.", "About twice a week."] as const
