import { type Conversation, TextAgent } from "@outdial/core"

/** An agent of one's own that asks a model by itself: here with `fetch`, and likewise with any SDK. */
async function* answer(url: string, talk: TextAgent.TalkSoFar): AsyncGenerator<Conversation.AgentPart> {
  const { agent, entries, input, signal } = talk
  if (input._tag === "Opening") return yield { _tag: "Say", text: agent.firstMessage ?? agent.script }
  if (input._tag === "Resumed" || input._tag === "NotTransferred") return
  const messages = entries.flatMap((entry) =>
    entry._tag === "Turn" ? [{ role: entry.speaker === "agent" ? "assistant" : "user", content: entry.text }] : []
  )
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "small", messages: [{ role: "system", content: agent.script }, ...messages] }),
    signal
  })
  if (!response.ok) throw new Error(`The model answers with status ${response.status}`)
  const { choices: [{ message }], usage } = JSON.parse(await response.text())
  yield { _tag: "Say", text: message.content }
  yield { _tag: "ModelUsed", model: "small", inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens }
  if (/goodbye/i.test(message.content)) yield { _tag: "End" }
}

export const agentOf = (url: string) => TextAgent.TextAgent.layerOf((talk) => answer(url, talk))
