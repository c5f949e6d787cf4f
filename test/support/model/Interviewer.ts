/**
 * A model that does as the prompts say: it asks each question, records the contact's words as the answer, and ends the call; and it makes
 * the outcome. It reads only what the requests have, so it can talk with any agent.
 */
import type { Reply, Request } from "./ModelServer.ts"

const textOf = ({ content }: Request["messages"][number]): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n")

/** The numbered questions of the instructions. */
export const questionsOf = ({ messages }: Request): ReadonlyArray<string> => {
  const [, list = ""] =
    /# Your questions\n.*:\n((?:\d+\. .*\n?)+)/u.exec(messages[0] === undefined ? "" : textOf(messages[0])) ?? []
  return list.trim().split("\n").filter((line) => line !== "").map((line) => line.replace(/^\d+\. /u, ""))
}

/** The contact's latest words: the last line that is no notice of the telephone. */
export const lastWords = ({ messages }: Request): string =>
  messages.filter(({ role }) => role === "user").flatMap((message) => textOf(message).split("\n")).findLast((line) =>
    !line.startsWith("[")
  ) ?? ""

/** A turn of the conversation, as a request for its outcome has it. */
export interface Turn {
  readonly turn: number
  readonly speaker: string
  readonly text: string
}

/** The turns of a conversation whose outcome is asked for. */
export const turnsOf = ({ messages }: Request): ReadonlyArray<Turn> => {
  const [, lines] = messages
  return lines === undefined ? [] : textOf(lines).split("\n").map((line): Turn => JSON.parse(line))
}

/** The lines of the instructions below a heading, without what they are marked with. */
const listed = ({ messages }: Request, heading: string): ReadonlyArray<string> => {
  const [, list = ""] = messages[0] === undefined ? [] : textOf(messages[0]).split(`# ${heading}\n`)
  return (list.split("\n\n")[0] ?? "").split("\n").flatMap((line) => /^(?:\d+\.|-) (.*)$/u.exec(line)?.[1] ?? [])
}

/** An outcome with the contact's next turn as the answer to each question, but for these fields. */
export const outcomeOf = (request: Request, fields: object = {}): Reply => {
  const turns = turnsOf(request)
  const answers = listed(request, "The agent's questions").flatMap((question, index) => {
    const asked = turns.findIndex(({ speaker, text }) => speaker === "agent" && text.includes(question))
    const reply = asked < 0 ? undefined : turns.slice(asked).find(({ speaker }) => speaker === "contact")
    return reply === undefined
      ? []
      : [{ question: index + 1, answer: reply.text, quote: reply.text, turn: reply.turn }]
  })
  const outcome = {
    disposition: listed(request, "The dispositions")[0],
    summary: "They have talked.",
    answers,
    callback_requested: false,
    callback_time: null,
    meeting_requested: false,
    meeting_time: null,
    do_not_call: false,
    ...fields
  }
  return { text: JSON.stringify(outcome) }
}

export const reply = (request: Request): Reply => {
  if (request.response_format !== undefined) return outcomeOf(request)
  const { messages } = request
  const questions = questionsOf(request)
  const recorded = messages.flatMap(({ tool_calls: calls = [] }) => calls).filter((call) =>
    call.function.name === "record_answer"
  )
  const question = questions[recorded.length]
  if (question === undefined) {
    return { text: "Thank you, that is all. Goodbye.", toolCalls: [{ name: "end_call", arguments: {} }] }
  }
  const isAsked = messages.some((message) => message.role === "assistant" && textOf(message).includes(question))
  if (!isAsked || messages.at(-1)?.role === "tool") return { text: question }
  return {
    toolCalls: [{ name: "record_answer", arguments: { question: recorded.length + 1, answer: lastWords(request) } }]
  }
}
