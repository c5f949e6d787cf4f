/** Agents to rehearse. */
import { type Conversation, TextAgent } from "@outdial/core"

export const ada = {
  name: "Ada",
  disclosure: "This call is recorded.",
  script: "Hello, this is Ada from Riverside Clinic. Do you have a minute?",
  questions: ["Does Tuesday suit you?", "How often do you come?"],
  dispositions: ["completed", "not_interested", "callback", "do_not_call", "incomplete"]
} as const

/** An agent that says these parts to each input; the first to the opening. The last ones again and again. */
export const saying = (...answers: ReadonlyArray<ReadonlyArray<Conversation.AgentPart>>) =>
  TextAgent.TextAgent.layerOf(async function*({ entries }) {
    const said = entries.filter((entry) => entry._tag === "Turn" && entry.speaker === "contact").length
    yield* answers[Math.min(said, answers.length - 1)] ?? []
  })

export const say = (text: string): Conversation.AgentPart => ({ _tag: "Say", text })

export const end: Conversation.AgentPart = { _tag: "End" }

export const answer = (question: string, answer: string): Conversation.AgentPart => ({
  _tag: "Note",
  note: { _tag: "Answer", question, answer }
})
