/**
 * The answer of an agent to one input. Its first words are the agent's, not the model's; so are its last ones when the contact does not want
 * to be called again. Everything else that the model asks for is checked by the engine.
 */
import { type Conversation, FirstWords, OptOut, Phrases, SpokenText, type TextAgent } from "@outdial/core"
import { Stream } from "effect"
import * as ModelAnswer from "./ModelAnswer.ts"
import * as TalkMessages from "./TalkMessages.ts"

const say = (text: string): Conversation.AgentPart => ({ _tag: "Say", text })

export const answer = (
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
      return isCut(entries) ? asked(TalkMessages.notices.cut) : Stream.empty
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
