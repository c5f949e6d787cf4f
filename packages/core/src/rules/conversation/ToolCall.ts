/** A tool in a conversation: what the agent asks for, and what is known of each run. */
import type { Schema } from "effect"
import type { Entry, ToolAnswer } from "../../domain/Conversation.ts"

/** What the agent asks for. */
export interface AskedTool {
  /** The request that the agent answers. */
  readonly request: number
  /** Who waits for the answer. */
  readonly ask: number
  readonly name: string
  readonly arguments: Schema.Json
  /** In milliseconds. */
  readonly timeout: number
  /** Spoken while it runs. Default: as for slow agents. */
  readonly filler?: string | undefined
  readonly isReadOnly: boolean
}

/** A tool that was run in this conversation, or runs. */
export interface ToolCall {
  /** Its place among them, from 1. */
  readonly id: string
  readonly name: string
  readonly arguments: Schema.Json
  readonly answer: ToolAnswer | undefined
  /** When it is given up. */
  readonly until: number
  readonly filler: string | undefined
  readonly asks: ReadonlyArray<Pick<AskedTool, "ask" | "request">>
}

/** The calls of a log. */
export const resumed = (entries: ReadonlyArray<Entry>): ReadonlyArray<ToolCall> =>
  entries.flatMap((entry) => {
    if (entry._tag !== "ToolIntent") return []
    const { arguments: args, id, name } = entry
    const result = entries.find((other) => other._tag === "ToolResult" && other.id === id)
    return [{
      id,
      name,
      arguments: args,
      answer: result?._tag === "ToolResult" ? answerOf(result) : undefined,
      until: Infinity,
      filler: undefined,
      asks: []
    }]
  })

const answerOf = ({ problem, result }: Extract<Entry, { readonly _tag: "ToolResult" }>): ToolAnswer => ({
  result,
  ...(problem !== undefined && { problem })
})
