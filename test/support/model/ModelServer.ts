/**
 * An OpenAI-compatible model server (POST /v1/chat/completions) over real HTTP, whose answers a function decides. It has the faults of
 * real ones on demand.
 */
import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/** The fields of a request that answers depend on, as OpenAI's reference of chat completions names them. */
export interface Request {
  readonly model: string
  readonly stream?: boolean
  readonly messages: ReadonlyArray<{
    readonly role: "system" | "user" | "assistant" | "tool"
    readonly content?: string | ReadonlyArray<{ readonly type: string; readonly text?: string }> | null
    readonly tool_calls?: ReadonlyArray<{
      readonly id: string
      readonly function: { readonly name: string; readonly arguments: string }
    }>
    readonly tool_call_id?: string
  }>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters?: unknown } }>
  readonly tool_choice?: unknown
  readonly response_format?: {
    readonly type: string
    readonly json_schema?: { readonly name: string; readonly schema: unknown; readonly strict?: boolean }
  }
}

export interface Reply {
  readonly text?: string
  /** `arguments` is sent as it is when it is text. */
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly arguments: unknown }>
  /** Characters in each piece of a stream. Default: 12. */
  readonly pieceLength?: number
  /** Milliseconds before the first piece and before each other. Default: 0. */
  readonly firstAfter?: number
  readonly eachAfter?: number
  /** What goes wrong. `cut` and `malformed` come after half of the pieces; `silence` never answers; `stall` stops after half. */
  readonly fault?: "cut" | "malformed" | "silence" | "stall"
  /** Answers with this status instead. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ModelServer {
  /** Ends with `/v1`. */
  readonly url: string
  /** The bodies of all requests. */
  readonly requests: ReadonlyArray<Request>
  /** How many requests the client has ended before their answer was complete. */
  readonly aborted: () => number
}

export interface Options {
  readonly reply: (request: Request, index: number) => Reply
  /** The only key that is let in. Default: any. */
  readonly key?: string
  /** The only model that there is. Default: any. */
  readonly model?: string
  /** Default: a free one. */
  readonly port?: number
}

/** A server on this machine until the scope closes. */
export const make = (options: Options) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => start(options)),
      ({ close }) => Effect.promise(close)
    ),
    ({ server }): ModelServer => server
  )

export const start = async ({ key, model, port = 0, reply }: Options) => {
  const requests: Array<Request> = []
  let aborted = 0
  const server = createServer((incoming, response) => {
    response.once("close", () => {
      if (!response.writableFinished) aborted += 1
    })
    void bodyOf(incoming).then(async (body) => {
      if (incoming.method !== "POST" || incoming.url?.endsWith("/chat/completions") !== true) {
        return refuse(response, 404, "invalid_request_error", `Invalid URL (${incoming.method} ${incoming.url})`)
      }
      if (key !== undefined && incoming.headers.authorization !== `Bearer ${key}`) {
        return refuse(response, 401, "invalid_api_key", `Incorrect API key provided: ${incoming.headers.authorization}`)
      }
      const request: Request = JSON.parse(body)
      if (model !== undefined && request.model !== model) {
        return refuse(response, 404, "model_not_found", `The model '${request.model}' does not exist`)
      }
      const { schema, strict = false } = request.response_format?.json_schema ?? {}
      if (strict && !isStrict(schema)) {
        return refuse(
          response,
          400,
          "invalid_request_error",
          "Invalid schema for response_format: 'additionalProperties' is required to be supplied and to be false, and 'required' to include every key"
        )
      }
      requests.push(request)
      return answer(response, request, reply(request, requests.length - 1), requests.length)
    }).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve)
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}/v1`
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { server: { url, requests, aborted: () => aborted }, close }
}

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const refuse = (response: ServerResponse, status: number, code: string, message: string) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ error: { message, type: code, param: null, code } }))
}

/** As OpenAI checks it: each object names all its fields, and has no others. */
const isStrict = (schema: unknown): boolean => {
  if (typeof schema !== "object" || schema === null) return true
  if ("properties" in schema && typeof schema.properties === "object") {
    const required = "required" in schema && Array.isArray(schema.required) ? schema.required : []
    const isClosed = "additionalProperties" in schema && schema.additionalProperties === false
    if (!isClosed || Object.keys(schema.properties ?? {}).some((name) => !required.includes(name))) return false
  }
  return Object.values(schema).every(isStrict)
}

const wait = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** Tokens are not what this server is for: four characters are one, as a rule of thumb. */
const tokens = (text: string): number => Math.ceil(text.length / 4)

const usageOf = (request: Request, { text = "", toolCalls = [] }: Reply) => {
  const prompt = tokens(JSON.stringify(request.messages))
  const completion = tokens(text + JSON.stringify(toolCalls))
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

const argumentsOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

const answer = async (response: ServerResponse, request: Request, reply: Reply, number: number) => {
  if (reply.fault === "silence") return
  if (reply.status !== undefined) {
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
    response.end(reply.body ?? JSON.stringify({ error: { message: `Status ${reply.status}`, type: "server_error" } }))
    return
  }
  const { eachAfter = 0, firstAfter = 0, text = "", toolCalls = [] } = reply
  const id = `chatcmpl-${number}`
  const finish = toolCalls.length > 0 ? "tool_calls" : "stop"
  const usage = usageOf(request, reply)
  if (firstAfter > 0) await wait(firstAfter)
  if (request.stream !== true) {
    const message = {
      role: "assistant",
      content: text === "" ? null : text,
      ...(toolCalls.length > 0 && {
        tool_calls: toolCalls.map((call, index) => ({
          id: `call_${number}_${index}`,
          type: "function",
          function: { name: call.name, arguments: argumentsOf(call.arguments) }
        }))
      })
    }
    const body = JSON.stringify({
      id,
      object: "chat.completion",
      created: 0,
      model: request.model,
      choices: [{ index: 0, message, finish_reason: finish }],
      usage
    })
    response.writeHead(200, { "content-type": "application/json" })
    if (reply.fault === undefined) return response.end(body)
    response.write(body.slice(0, body.length / 2))
    return reply.fault === "stall" ? undefined : reply.fault === "cut" ? response.destroy() : response.end("}}]")
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.flushHeaders()
  const deltas = deltasOf(reply, number)
  for (const [index, delta] of deltas.entries()) {
    if (reply.fault !== undefined && index === Math.ceil(deltas.length / 2)) {
      if (reply.fault === "stall") return
      // What was sent must have arrived: a reset drops it.
      await wait(20)
      if (reply.fault === "cut") return response.destroy()
      response.write("data: {\"choices\": [{\"delta\": nonsense}]}\n\n")
    }
    if (index > 0 && eachAfter > 0) await wait(eachAfter)
    if (!send(response, { id, model: request.model, choices: [{ index: 0, delta, finish_reason: null }] })) {
      await drained(response)
    }
  }
  send(response, { id, model: request.model, choices: [{ index: 0, delta: {}, finish_reason: finish }] })
  send(response, { id, model: request.model, choices: [], usage })
  response.end("data: [DONE]\n\n")
}

const send = (response: ServerResponse, chunk: object): boolean =>
  response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", created: 0, ...chunk })}\n\n`)

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    response.once("drain", resolve).once("close", resolve)
  })

/** The pieces of a stream. The name of a tool comes before its arguments, which come in pieces. */
const deltasOf = ({ pieceLength = 12, text = "", toolCalls = [] }: Reply, number: number): ReadonlyArray<object> => [
  { role: "assistant", content: "" },
  ...pieces(text, pieceLength).map((content) => ({ content })),
  ...toolCalls.flatMap((call, index) => [
    {
      tool_calls: [{
        index,
        id: `call_${number}_${index}`,
        type: "function",
        function: { name: call.name, arguments: "" }
      }]
    },
    ...pieces(argumentsOf(call.arguments), pieceLength).map((part) => ({
      tool_calls: [{ index, function: { arguments: part } }]
    }))
  ])
]

const pieces = (text: string, length: number): ReadonlyArray<string> =>
  Array.from(
    { length: Math.ceil(text.length / length) },
    (_, index) => text.slice(index * length, (index + 1) * length)
  )
