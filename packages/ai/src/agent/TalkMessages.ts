/**
 * A conversation as messages for a language model. They follow from the log alone, so that another process continues with the same.
 * What the contact said is always the user's, and cannot look like a notice of the telephone.
 */
import type { Agent, Conversation } from "@outdial/core"
import { Prompt } from "effect/ai"
import * as BuiltInTools from "./BuiltInTools.ts"

/** Longest history that a model reads, in characters: an hour of talk, some 15,000 tokens. Older turns are left out, what was noted is not. */
const longest = 60_000

/** Something that was said, or a tool with its result. */
export type Said =
  | { readonly _tag: "Agent" | "User"; readonly text: string }
  | { readonly _tag: "Tool"; readonly use: ToolUse }

/** A use of a tool, and what came of it. */
export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly params: unknown
  readonly result: unknown
  readonly isFailure: boolean
}

/** The messages of a conversation, and then these notices. */
export const messages = (
  entries: ReadonlyArray<Conversation.Entry>,
  agent: Pick<Agent.AgentBrief, "questions">,
  ...more: ReadonlyArray<string>
): ReadonlyArray<Prompt.Message> => {
  return written([notice(notices.answered), ...recent(saidIn(entries, agent)), ...more.map(notice)])
}

const saidIn = (
  entries: ReadonlyArray<Conversation.Entry>,
  agent: Pick<Agent.AgentBrief, "questions">
): ReadonlyArray<Said> => {
  const results = new Map(entries.flatMap((entry) => entry._tag === "ToolResult" ? [[entry.id, entry]] as const : []))
  // A turn that was interrupted is logged after the words that interrupted it.
  const inOrder = [...entries].sort((one, other) => one.at - other.at)
  return inOrder.flatMap((entry, index) => saidOf(entry, `note_${index}`, { agent, results }))
}

/** What came of a tool that has not returned. */
export const stillRunning = "It is still running."

/** The tools that were used, in order, and what came of each. */
export const toolUses = (
  entries: ReadonlyArray<Conversation.Entry>,
  agent: Pick<Agent.AgentBrief, "questions">
): ReadonlyArray<ToolUse> => saidIn(entries, agent).flatMap((said) => said._tag === "Tool" ? [said.use] : [])

/** What has happened on the telephone, as a model reads it. */
export const notices = {
  answered: "The contact has answered the telephone.",
  cut: "You were cut there. Go on.",
  pressed: (digits: string) => `The contact has pressed ${digits}.`,
  machine: (kind: Conversation.MachineKind) =>
    kind === "ivr" ? "A telephone menu has answered." : "A machine has answered.",
  notTransferred: (to: string) => `The call could not be transferred to ${withoutMarks(to)}. Say so, and go on.`
}

/** What came of a tool that a model has asked for. */
export type ToolResult = Omit<ToolUse, "params">

/** What came of the tools of one reply. */
export const toolResults = (uses: ReadonlyArray<ToolResult>): Prompt.ToolMessage =>
  Prompt.toolMessage({
    content: uses.map(({ id, isFailure, name, result }) =>
      Prompt.toolResultPart({ id, name, isFailure, result, providerExecuted: false })
    )
  })

export const noticeMessage = (text: string): Prompt.UserMessage => userMessage(notice(text).text)

/** What has happened, in a form that nothing the contact says has. */
const notice = (text: string) => ({ _tag: "User", text: `[${text}]` }) as const

/** Without brackets of notices, and without marks that chat templates of models give a meaning, such as `<|im_start|>`. */
export const withoutMarks = (text: string): string =>
  text.replaceAll(/[[［【<＜{｛]/gu, "(").replaceAll(/[\]］】>＞}｝]/gu, ")")

const contactWords = (text: string): Said => ({ _tag: "User", text: withoutMarks(text) })

interface Context {
  readonly agent: Pick<Agent.AgentBrief, "questions">
  readonly results: ReadonlyMap<string, Extract<Conversation.Entry, { readonly _tag: "ToolResult" }>>
}

const saidOf = (entry: Conversation.Entry, id: string, { agent, results }: Context): ReadonlyArray<Said> => {
  switch (entry._tag) {
    case "Turn":
      if (entry.speaker === "agent") {
        return [{ _tag: "Agent", text: entry.text + (entry.interrupted === true ? " –" : "") }]
      }
      return [/^[0-9A-D*#]+$/u.test(entry.text) ? notice(notices.pressed(entry.text)) : contactWords(entry.text)]
    case "Noted":
      if (entry.note._tag === "Transfer") {
        const { failed = false, to } = entry.note
        return failed ? [notice(notices.notTransferred(to))] : []
      }
      return [{
        _tag: "Tool",
        use: { id, ...BuiltInTools.useOf(entry.note, agent), result: "Noted.", isFailure: false }
      }]
    case "ToolIntent": {
      const { problem, result } = results.get(entry.id) ?? { result: stillRunning, problem: undefined }
      const { arguments: params, id, name } = entry
      return [{ _tag: "Tool", use: { id: `tool_${id}`, name, params, result, isFailure: problem !== undefined } }]
    }
    case "Machine":
      return [notice(notices.machine(entry.kind))]
    case "ToolResult":
    case "ModelUsed":
    case "Failed":
    case "Over":
      return []
    default:
      return entry satisfies never
  }
}

/** Without the oldest words if there are too many. */
const recent = (all: ReadonlyArray<Said>): ReadonlyArray<Said> => {
  let length = 0
  return all.toReversed().filter((said) => {
    if (said._tag === "Tool") return true
    length += said.text.length
    return length <= longest
  }).toReversed()
}

/** One message for what one side says in a row, with the tool that it then uses: some providers refuse two. */
const written = (all: ReadonlyArray<Said>): ReadonlyArray<Prompt.Message> => {
  const messages: Array<Prompt.Message> = []
  let texts: { readonly by: "Agent" | "User"; readonly said: Array<string> } = { by: "User", said: [] }
  const agentMessage = (...calls: ReadonlyArray<Prompt.ToolCallPart>) => {
    const text = texts.said.splice(0).join(" ")
    const content = [...text === "" ? [] : [Prompt.textPart({ text })], ...calls]
    if (content.length > 0) messages.push(Prompt.assistantMessage({ content }))
  }
  const end = () => {
    if (texts.by === "Agent") return agentMessage()
    if (texts.said.length > 0) messages.push(userMessage(texts.said.splice(0).join("\n")))
  }
  for (const said of all) {
    if (said._tag === "Tool") {
      const { id, name, params } = said.use
      if (texts.by === "User") end()
      agentMessage(Prompt.toolCallPart({ id, name, params, providerExecuted: false }))
      messages.push(toolResults([said.use]))
      continue
    }
    if (said._tag !== texts.by) {
      end()
      texts = { by: said._tag, said: [] }
    }
    texts.said.push(said.text)
  }
  end()
  return messages
}

const userMessage = (text: string) => Prompt.userMessage({ content: [Prompt.textPart({ text })] })
