import { Agent, type Conversation, Ids } from "@outdial/core"
import assert from "node:assert/strict"
import { test } from "node:test"
import { answer } from "./agent.ts"

const question = "Will you be able to come?"

/** The parts of the agent's answer. An agent is a function, so no engine is needed. */
const answerTo = async (input: Conversation.AgentInput) => {
  const parts: Array<Conversation.AgentPart> = []
  const talk = {
    accountId: Ids.AccountId.make("acct_1"),
    callId: Ids.CallId.make("call_1"),
    contact: { name: "Grace" },
    agent: {
      id: Ids.AgentId.make("00000000-0000-4000-8000-000000000001"),
      name: "Ada",
      script: "Hello Grace.",
      questions: [question],
      dispositions: ["confirmed", "declined"],
      ...Agent.conversationSettings({})
    },
    entries: [],
    input,
    tools: { available: [], run: async () => ({ result: null }) },
    signal: new AbortController().signal
  }
  for await (const part of answer(talk)) parts.push(part)
  return parts
}

test("asks its question after its first words", async () => {
  assert.deepEqual(await answerTo({ _tag: "Opening" }), [
    { _tag: "Say", text: "Hello Grace." },
    { _tag: "Say", text: question }
  ])
})

test("notes the answer and says goodbye", async () => {
  const [note, words, end] = await answerTo({ _tag: "Words", text: "Yes, I will." })
  assert.deepEqual(note, { _tag: "Note", note: { _tag: "Answer", question, answer: "yes, i will." } })
  assert.deepEqual(words, { _tag: "Say", text: "Wonderful, see you then. Goodbye." })
  assert.deepEqual(end, { _tag: "End" })
})

test("asks again when it has not understood", async () => {
  assert.deepEqual(await answerTo({ _tag: "Words", text: "Who is this?" }), [
    { _tag: "Say", text: `Please say yes or no. ${question}` }
  ])
})

test("notes an opt-out", async () => {
  const [note] = await answerTo({ _tag: "Words", text: "Do not call me again!" })
  assert.deepEqual(note, { _tag: "Note", note: { _tag: "OptOut" } } satisfies Conversation.AgentPart)
})
