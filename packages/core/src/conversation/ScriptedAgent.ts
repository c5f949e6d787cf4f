/**
 * The agent without a language model: it says its first message, asks its questions and notes the answers in the contact's own words.
 * It recognizes opt-outs, requests for another call, refusals and goodbyes in five languages, and in yours by configuration.
 */
import { type Layer, Stream } from "effect"
import { type PhrasesByLanguage, phrasesOf } from "../rules/conversation/Phrases.ts"
import { scriptedAnswer } from "../rules/conversation/ScriptedAnswer.ts"
import { TextAgent } from "./TextAgent.ts"

export interface ScriptedAgentOptions {
  /** Phrases of further languages, or instead of ours, by the primary subtag of the language, such as `it`. Default: none. */
  readonly phrases?: PhrasesByLanguage
}

/** A scripted agent. The same log gives the same answer, so another process can continue its conversations. */
export const layerOf = ({ phrases = {} }: ScriptedAgentOptions): Layer.Layer<TextAgent> =>
  TextAgent.layerOfAnswers(({ agent, entries, input }) =>
    Stream.fromIterable(scriptedAnswer(agent, phrasesOf(agent.language, phrases), input, entries))
  )

export const layer: Layer.Layer<TextAgent> = layerOf({})
