/** What is answered where no route can: given the error envelope and an id like every other answer. */
import { RequestId } from "@outdial/http"
import { Effect } from "effect"
import { type Server, STATUS_CODES } from "node:http"

const answers: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "invalid_request", "The headers of the request are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "request_timeout", "The request did not arrive in time; send it again"]
}

const badRequest = [400, "invalid_request", "The request is not valid HTTP"] as const
const expectationFailed = [417, "invalid_request", "The header Expect may only be 100-continue"] as const

const nobodyYet = [503, "unavailable", "The service is starting or stopping; try again in a second"] as const

const write = ([status, code, message]: readonly [status: number, code: string, message: string]) => {
  const requestId = Effect.runSync(RequestId.make)
  const body = JSON.stringify({ error: { code, message, request_id: requestId } })
  const headers = {
    "content-length": Buffer.byteLength(body),
    "content-type": "application/json",
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close"
  }
  return { status, headers, body }
}

/** The server, with these answers. It listens before what serves is there, and a request would be left without an answer. */
export const handled = (server: Server): Server =>
  server
    .on("request", (_request, response) => {
      // What serves listens as well.
      if (server.listenerCount("request") > 1) return
      const { body, headers, status } = write(nobodyYet)
      response.writeHead(status, { ...headers, "retry-after": "1" }).end(body)
    })
    .on("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
      const { body, headers, status } = write(answers[error.code ?? ""] ?? badRequest)
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`, () => socket.destroy())
    })
    .on("checkExpectation", (_request, response) => {
      const { body, headers, status } = write(expectationFailed)
      response.writeHead(status, headers).end(body)
    })
