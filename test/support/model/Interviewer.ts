/**
 * A model that does as the agent's prompt says: it asks each question, records the contact's words as the answer, and ends the call. It
 * reads only what the requests have, so it can talk with any agent.
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

export const reply = (request: Request): Reply => {
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
