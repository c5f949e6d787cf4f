/**
 * Tools in a conversation: which calls of the agent run one, and what each call is answered. A tool runs at most once with the same
 * arguments in a conversation, across interruptions and processes, unless it only reads.
 */
import { Equal } from "effect"
import type { ToolAnswer, ToolProblem } from "../../domain/Conversation.ts"
import type { Draft } from "./ConversationState.ts"
import type { AskedTool, ToolCall } from "./ToolCall.ts"

/** Most calls in one answer, and most that run in one conversation: an agent that asks for more would go on for ever. */
const mostOfAnswer = 20
const mostOfConversation = 100

/** How long the contact hears nothing before the words of a tool: shorter than before a filler, since it is known to take time. */
const toolFillerAfter = 500

/** How long the contact hears nothing before another filler, while a tool runs. */
const nextFillerAfter = 8_000

const sentences: Readonly<Record<Exclude<ToolProblem, "invalid_arguments" | "unknown_tool">, string>> = {
  too_many_calls: "No more tools are run in this answer.",
  not_wanted: "The answer is no longer wanted.",
  failed: "The tool failed. It may have been carried out. It is not run again with these arguments.",
  timed_out: "The tool did not answer in time. It may have been carried out. It is not run again with these arguments.",
  unknown: "The result is unknown. The tool may have been carried out. It is not run again with these arguments."
}

export const problem = (problem: keyof typeof sentences): ToolAnswer => ({ result: sentences[problem], problem })

/** The agent asks for a tool. */
export const asked = (draft: Draft, { ask, isReadOnly, request, timeout, ...tool }: AskedTool): void => {
  const answer = (answer: ToolAnswer): void => void draft.actions.push({ _tag: "AnswerTool", ask, answer })
  const current = draft.request
  if (current?.id !== request) return answer(problem("not_wanted"))
  if (current.toolCalls >= mostOfAnswer) return answer(problem("too_many_calls"))
  draft.request = { ...current, at: draft.now, toolCalls: current.toolCalls + 1 }
  const same = draft.tools.findLast((call) => call.name === tool.name && Equal.equals(call.arguments, tool.arguments))
  if (same !== undefined && same.answer === undefined) {
    return change(draft, { ...same, asks: [...same.asks, { ask, request }] })
  }
  if (same?.answer !== undefined && !isReadOnly) return answer(same.answer)
  if (draft.tools.length >= mostOfConversation) return answer(problem("too_many_calls"))
  const call = { id: String(draft.tools.length + 1), name: tool.name, arguments: tool.arguments }
  draft.tools = [
    ...draft.tools,
    { ...call, answer: undefined, until: draft.now + timeout, filler: tool.filler, asks: [{ ask, request }] }
  ]
  draft.hasFilled = false
  draft.actions.push({ _tag: "Log", entry: { _tag: "ToolIntent", at: draft.now, ...call } }, {
    _tag: "RunTool",
    ...call
  })
}

/** A tool has answered, or is given up. What comes later is dropped. */
export const answered = (draft: Draft, id: string, answer: ToolAnswer): void => {
  const call = draft.tools.find((call) => call.id === id)
  if (call === undefined || call.answer !== undefined) return
  draft.actions.push({ _tag: "Log", entry: { _tag: "ToolResult", at: draft.now, id, ...answer } })
  for (const { ask } of call.asks) draft.actions.push({ _tag: "AnswerTool", ask, answer })
  if (awaited(draft).includes(call) && draft.request !== undefined) {
    // The agent has its time again to go on, and the contact waits from now on.
    draft.request = { ...draft.request, at: draft.now }
    draft.hasFilled = false
  }
  change(draft, { ...call, answer, asks: [] })
}

/** What another process has left without an answer. */
export const giveUpUnanswered = (draft: Draft): void => {
  for (const { answer, id } of draft.tools) if (answer === undefined) answered(draft, id, problem("unknown"))
}

/** Gives up the tools whose time is over. */
export const giveUpOverdue = (draft: Draft): void => {
  for (const { answer, id, until } of draft.tools) {
    if (answer === undefined && until <= draft.now) answered(draft, id, problem("timed_out"))
  }
}

/** When the next tool is given up. */
export const overdueAt = ({ tools }: Pick<Draft, "tools">): number =>
  Math.min(...tools.map(({ answer, until }) => answer === undefined ? until : Infinity))

/** Whether the answer waits for a tool. */
export const isAwaited = (draft: Draft): boolean => awaited(draft).length > 0

/** When the contact hears the next filler while the answer waits for a tool, and its words if the tool has some. */
export const filler = (draft: Draft): { readonly at: number; readonly text: string | undefined } => {
  const text = awaited(draft).at(-1)?.filler
  const since = Math.max(draft.request?.at ?? 0, draft.quietSince)
  if (draft.hasFilled) return { at: draft.quietSince + nextFillerAfter, text: undefined }
  return { at: since + (text === undefined ? fillerAfter : toolFillerAfter), text }
}

/** How long the contact hears nothing before a filler. */
export const fillerAfter = 1_500

const awaited = ({ request, tools }: Pick<Draft, "request" | "tools">): ReadonlyArray<ToolCall> =>
  request === undefined ? [] : tools.filter((call) => call.asks.some((ask) => ask.request === request.id))

const change = (draft: Draft, changed: ToolCall): void => {
  draft.tools = draft.tools.map((call) => call.id === changed.id ? changed : call)
}
