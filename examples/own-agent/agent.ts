import type { Conversation, TextAgent } from "@outdial/core"

const say = (text: string) => ({ _tag: "Say", text }) as const
const end = { _tag: "End" } as const

/** Asks the agent's question, and understands yes and no. It is called for everything that the contact says. */
export async function* answer({ agent, input }: TextAgent.TalkSoFar): AsyncGenerator<Conversation.AgentPart> {
  const [question = "May we expect you?"] = agent.questions
  if (input._tag === "Opening") {
    yield say(agent.firstMessage ?? agent.script)
    yield say(question)
    return
  }
  if (input._tag === "Machine") return yield end
  if (input._tag === "Resumed" || input._tag === "NotTransferred") return
  const words = input._tag === "Words" ? input.text.toLowerCase() : input.digits === "1" ? "yes" : "no"
  if (/stop calling|not call/.test(words)) {
    yield { _tag: "Note", note: { _tag: "OptOut" } }
    yield say("Of course. We will not call you again.")
  } else if (/\b(yes|no)\b/.test(words)) {
    yield { _tag: "Note", note: { _tag: "Answer", question, answer: words } }
    yield say(words.includes("yes") ? "Wonderful, see you then. Goodbye." : "Then we will find another day. Goodbye.")
  } else {
    return yield say(`Please say yes or no. ${question}`)
  }
  yield end
}
