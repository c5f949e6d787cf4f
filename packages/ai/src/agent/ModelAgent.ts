/**
 * An agent that thinks with a language model. Its first words are the agent's, not the model's; so are its last ones when the contact does
 * not want to be called again. Everything else that the model asks for is checked by the engine.
 */
import { type Conversation, type Errors, FirstWords, OptOut, Phrases, SpokenText, TextAgent } from "@outdial/core"
import { DateTime, Effect, Layer, Stream } from "effect"
import type { LanguageModel } from "effect/ai"
import * as Models from "../model/Models.ts"
import * as AgentPrompt from "./AgentPrompt.ts"
import * as ModelAnswer from "./ModelAnswer.ts"

export interface ModelAgentOptions<E = never, R = never> extends Models.Options {
  /** The models of the deployment, by the names that agents give in their field `model`. */
  readonly models: Readonly<Record<string, Layer.Layer<LanguageModel.LanguageModel, E, R>>>
}

/**
 * The agent, and the names of its models, so that agents that name another are refused when they are put. A conversation whose agent names
 * a model that this process does not have ends with the fallback phrase.
 */
export const layer = <E = never, R = never>(
  { models, ...options }: ModelAgentOptions<E, R>
): Layer.Layer<TextAgent.TextAgent, E | Errors.InvalidRequest, R> =>
  Layer.provideMerge(
    Layer.effect(TextAgent.TextAgent, Effect.map(Models.Models, (models) => ({ open: open(models) }))),
    Models.Models.layer(models, options)
  )

const open = (models: Models.Models["Service"]): TextAgent.TextAgent["Service"]["open"] =>
  Effect.fnUntraced(function*(brief, entries) {
    const { agent, contact } = brief
    const named = yield* Effect.mapError(models.of(agent), (cause) => new TextAgent.AgentFailed({ cause }))
    const instructions = AgentPrompt.instructions({ agent, contact, startedAt: yield* DateTime.now })
    return yield* TextAgent.talkOf(brief, entries, (talk) => answer({ ...named, instructions }, talk))
  })

const say = (text: string): Conversation.AgentPart => ({ _tag: "Say", text })

const answer = (
  model: Pick<ModelAnswer.Options, "instructions" | "model" | "name">,
  talk: TextAgent.Asked
): Stream.Stream<Conversation.AgentPart, TextAgent.AgentFailed> => {
  const { agent, entries, input } = talk
  const maySayNothing = entries.some(({ _tag }) => _tag === "Machine")
  const asked = (notice?: string) =>
    ModelAnswer.answer({ ...model, maySayNothing, ...(notice !== undefined && { notice }) }, talk)
  switch (input._tag) {
    case "Opening": {
      const words = FirstWords.firstWords(agent)
      return SpokenText.hasWords(words) ? Stream.make(say(words)) : asked()
    }
    case "Words":
      return wantsNoCalls(talk, input.text) ? optedOut(agent.language) : asked()
    case "Digits":
    case "Machine":
    case "NotTransferred":
      return asked()
    case "Resumed":
      return isCut(entries) ? asked("You were cut there. Go on.") : Stream.empty
    default:
      return input satisfies never
  }
}

/** Whether the contact has opted out, now in well-known words, or before: nobody can talk the agent out of it. */
const wantsNoCalls = ({ agent, entries }: TextAgent.Asked, said: string): boolean =>
  entries.some((entry) => entry._tag === "Noted" && entry.note._tag === "OptOut") ||
  OptOut.isOptOut(said, Phrases.phrasesOf(agent.language).words)

const optedOut = (language: string | undefined): Stream.Stream<Conversation.AgentPart> =>
  Stream.make(
    { _tag: "Note", note: { _tag: "OptOut" } },
    say(Phrases.phrasesOf(language).optedOut),
    { _tag: "End" }
  )

/** Whether the agent was cut in its last words, or has not said what came of a tool. */
const isCut = (entries: ReadonlyArray<Conversation.Entry>): boolean => {
  const last = entries.findLast((entry) => entry._tag === "Turn" || entry._tag === "ToolIntent")
  return last?._tag === "ToolIntent" || last?._tag === "Turn" && last.interrupted === true
}
