/** Stands in for a language model, so that the example needs no account: it asks one question, records the answer and says goodbye. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json, text } from "node:stream/consumers"

interface Asked {
  readonly stream?: boolean
  readonly tools?: ReadonlyArray<unknown>
  readonly response_format?: unknown
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
}

/** What the model says next, and the tools that it uses. */
const next = (
  { messages, tools }: Asked
): { readonly text: string; readonly uses: ReadonlyArray<readonly [string, object]> } => {
  const said = messages.filter(({ role }) => role === "assistant").length
  if (said < 2) return { text: "Thank you. Does Tuesday suit you?", uses: [] }
  const answer = messages.findLast(({ role }) => role === "user")?.content ?? ""
  const uses = [["record_answer", { question: 1, answer }], ["end_call", {}]] as const
  return { text: "Wonderful. Goodbye.", uses: tools === undefined ? [] : uses }
}

/** The outcome of a conversation, whose turns are the lines of the last message. */
const outcomeOf = ({ messages }: Asked): string => {
  const turns = (messages.at(-1)?.content ?? "").split("\n").map((line) => JSON.parse(line))
  const { text, turn } = turns.findLast(({ speaker }) => speaker === "contact")
  return JSON.stringify({
    disposition: "confirmed",
    summary: "Tuesday suits them.",
    answers: [{ question: 1, answer: "yes", quote: text, turn }],
    callback_requested: false,
    callback_time: null,
    meeting_requested: false,
    meeting_time: null,
    do_not_call: false
  })
}

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

const answer = (asked: Asked, response: ServerResponse) => {
  const { text, uses } = next(asked)
  const calls = uses.map(([name, args], index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) }
  }))
  if (asked.stream !== true) {
    const message = { role: "assistant", content: asked.response_format === undefined ? text : outcomeOf(asked) }
    return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }))
  }
  const send = (chunk: object) =>
    response.write(`data: ${JSON.stringify({ id: "1", created: 0, model: "stand-in", ...chunk })}\n\n`)
  const choice = (delta: object, reason: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason: reason }] })
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const content of text.split(/(?<= )/)) choice({ content })
  for (const call of calls) choice({ tool_calls: [call] })
  choice({}, calls.length > 0 ? "tool_calls" : "stop")
  send({ choices: [], usage })
  return response.end("data: [DONE]\n\n")
}

/** Starts it on a free port. `/v1` speaks OpenAI's protocol; `/words` gets the contact's words and answers with text. */
export const startModel = async () => {
  let asked = 0
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith("/v1") === true) return answer(await json(request) as Asked, response)
    await text(request)
    return response.end(asked++ === 0 ? "Does Tuesday suit you?" : "Thank you. Goodbye.")
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    // A server that listens on a port has an AddressInfo.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
