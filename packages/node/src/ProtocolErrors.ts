/**
 * Responses of a `node:http` server to requests that reach no route: bytes that are not HTTP, slow requests, tunnels. They have
 * the error envelope and a request id. Requests in flight on the same connection are answered first, so that no 400 or 408 can
 * be read as the response to a request that was carried out.
 */
import { ApiErrors, RequestId } from "@outdial/http"
import { Effect } from "effect"
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

/** One of these answers. */
export interface Answer {
  readonly status: number
  readonly code: ApiErrors.ErrorCode
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const badRequest: Answer = { status: 400, code: "invalid_request", message: "The request is not valid HTTP" }

const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "invalid_request",
    message: "The headers of the request are too large"
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "request_timeout",
    message: "The request did not arrive in time; send it again"
  }
}

const expectationFailed: Answer = {
  status: 417,
  code: "invalid_request",
  message: "The header Expect may only be 100-continue"
}

// An empty Allow says that no resource supports CONNECT (RFC 9110 §10.2.1).
const connectNotAllowed: Answer = {
  status: 405,
  code: "method_not_allowed",
  message: "CONNECT is not supported: this server is not a proxy",
  headers: { allow: "" }
}

/** How long a client may take to read the last response. Closing at once could reset the connection first. */
const closeGracePeriod = "1 second"

/**
 * Installs these responses on a server that does not listen yet, and returns the server. Its own listeners for `connect` and
 * similar events take precedence.
 */
export const handle = (server: Server): Server => {
  const connections = new WeakMap<Duplex, Connection>()
  const connectionOf = (socket: Duplex): Connection => {
    const connection = connections.get(socket) ?? { inFlight: 0, isRefused: false }
    connections.set(socket, connection)
    return connection
  }
  const track = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket)
    connection.inFlight++
    connection.last = { request, response }
    response.once("close", () => {
      connection.inFlight--
      if (connection.inFlight === 0) connection.whenIdle?.()
    })
  }
  return server
    .prependListener("request", track)
    .prependListener("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      if (server.listenerCount("checkContinue") > 1) return track(request, response)
      // Node's default without a listener.
      response.writeContinue()
      server.emit("request", request, response)
    })
    .prependListener("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      track(request, response)
      if (server.listenerCount("checkExpectation") === 1) respond(response, expectationFailed)
    })
    .on("connect", (_request: IncomingMessage, socket: Duplex) => {
      if (server.listenerCount("connect") > 1) return
      socket.on("error", () => {}).resume()
      refuse(connectionOf(socket), socket, connectNotAllowed)
    })
    .on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      const code = error.code ?? ""
      // Anything else is a failure of the connection, so a response would not arrive.
      if (!code.startsWith("HPE_") && code !== "ERR_HTTP_REQUEST_TIMEOUT") return void socket.destroy()
      const connection = connectionOf(socket)
      const { last } = connection
      if (last === undefined || last.request.complete) {
        return refuse(connection, socket, answers[code] ?? badRequest)
      }
      // The fault is in the body of the last request, whose handler responds.
      refuse(connection, socket, undefined)
      if (last.response.writableEnded) return
      if (!last.response.headersSent) last.response.shouldKeepAlive = false
      failBody(last.request, error)
    })
}

/** Responds with the envelope and closes the connection. */
export const respond = (response: ServerResponse, answer: Answer): void => {
  const { body, headers } = write(answer)
  response.writeHead(answer.status, headers).end(body)
}

interface Connection {
  /** Requests without a complete response. */
  inFlight: number
  /** Whether the connection is closing; further input is dropped. */
  isRefused: boolean
  last?: { readonly request: IncomingMessage; readonly response: ServerResponse }
  whenIdle?: () => void
}

/** Closes the connection after the requests in flight, with a last response if one is given. */
const refuse = (connection: Connection, socket: Duplex, answer: Answer | undefined) => {
  // The parser repeats its error for further input.
  if (connection.isRefused) return
  connection.isRefused = true
  const { last } = connection
  const end = () => {
    // A slow request that has arrived in the meantime has had its response.
    const text = answer === undefined || connection.last !== last ? "" : raw(answer)
    if (socket.writable) socket.end(text)
    const closing = Effect.runFork(Effect.delay(Effect.sync(() => socket.destroy()), closeGracePeriod))
    socket.once("close", () => closing.interruptUnsafe())
  }
  if (connection.inFlight === 0) return end()
  connection.whenIdle = end
}

/** Fails the reading of the body, now or later, and leaves the connection open for the response. */
const failBody = (request: IncomingMessage, error: Error) => {
  request.on("error", () => {})
  // Node's implementation also destroys the socket.
  request._destroy = (cause, callback) => callback(cause)
  request.destroy(error)
}

const write = ({ code, headers, message }: Answer) => {
  const requestId = Effect.runSync(RequestId.make)
  const body = JSON.stringify(ApiErrors.envelope({ code, message }, requestId))
  return {
    headers: {
      "content-length": Buffer.byteLength(body),
      "content-type": "application/json",
      "x-request-id": requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      connection: "close",
      ...headers
    },
    body
  }
}

const raw = (answer: Answer) => {
  const { body, headers } = write(answer)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${head}\r\n${body}`
}
