/** What models are asked in a benchmark: requests of the bare SDK are about as long as those of an agent. */
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider"

/** Characters of the agent's instructions, and of the descriptions of its tools. */
const [instructed, described] = [2_800, 300] as const

export const instructions = "You talk on the telephone. ".repeat(Math.ceil(instructed / 27))

export const tools: ReadonlyArray<LanguageModelV4FunctionTool> = Array.from({ length: 6 }, (_, index) => ({
  type: "function",
  name: `tool_${index}`,
  description: "Notes an answer. ".repeat(Math.ceil(described / 17)),
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
}))

/** The first piece of an answer is its first sentence, so that words can be spoken as soon as the first piece is there. */
export const answer =
  "Yes, of course. We are open from nine to five, and on Saturday until noon. Is there anything else?"
export const pieceLength = "Yes, of course. ".length
