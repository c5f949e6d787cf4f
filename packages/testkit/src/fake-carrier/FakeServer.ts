/** The HTTP server of a fake carrier's API, with the faults that a network has. */
import { Effect, type Scope } from "effect"
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"

/** How the carrier treats requests: as in the telephony contract. */
export type Condition = "well" | "unreachable" | "faulty" | "silent" | "unauthorized"

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Whether the account is refused, whatever the credentials are. */
  readonly isUnauthorized: boolean
}

export interface ApiAnswer {
  readonly status: number
  /** JSON, unless it is text or audio. */
  readonly body: unknown
  /** Only so many bytes of the body arrive, then the connection is lost. */
  readonly cutAfter?: number
}

/** A request that has arrived, and the response to it; none when it waits for ever. */
export interface Exchange {
  readonly request: ApiRequest
  readonly answer: ApiAnswer | undefined
}

export interface FakeServerOptions {
  /** After how many bytes of its body this request is cut; if that is not all of it, it does not arrive. Default: none is. */
  readonly cutRequestAfter?: (request: Pick<ApiRequest, "method" | "path">) => number | undefined
  readonly observe?: ((exchange: Exchange) => void) | undefined
}

/** The connection is lost, and nothing arrives. */
export const lost: ApiAnswer = { status: 200, body: "", cutAfter: 0 }

export interface FakeServer {
  readonly url: string
  /** The method and path of each request. */
  readonly requests: ReadonlyArray<string>
  /** How many requests wait for a response. */
  readonly waiting: () => number
  readonly setCondition: (condition: Condition) => Effect.Effect<void>
}

const listen = (server: Server, port: number) =>
  Effect.callback<number>((resume) => {
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

/** Serves until the scope closes. */
export const make = Effect.fnUntraced(function*(
  respond: (request: ApiRequest) => ApiAnswer | Promise<ApiAnswer>,
  { cutRequestAfter = () => undefined, observe = () => {} }: FakeServerOptions = {}
): Effect.fn.Return<FakeServer, never, Scope.Scope> {
  const requests: Array<string> = []
  const sockets = new Set<Socket>()
  let condition: Condition = "well"
  let waiting = 0

  const server = createServer((request, response) => {
    const serve = async () => {
      const url = new URL(request.url ?? "/", "http://fake.test")
      const { method = "GET" } = request
      requests.push(`${method} ${url.pathname}`)
      // As of the moment that `requests` shows it, not of its last byte.
      const treatment = condition
      const cutAt = cutRequestAfter({ method, path: url.pathname })
      if (cutAt !== undefined && cutAt < Number(request.headers["content-length"] ?? 0)) {
        return void request.socket.destroy()
      }
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const arrived: ApiRequest = {
        method,
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        isUnauthorized: treatment === "unauthorized"
      }
      if (treatment === "silent") {
        observe({ request: arrived, answer: undefined })
        waiting += 1
        return void response.on("close", () => waiting -= 1)
      }
      const answer: ApiAnswer = treatment === "faulty" ? { status: 500, body: {} } : await respond(arrived)
      observe({ request: arrived, answer })
      const { body, cutAfter, status } = answer
      // A whole request that is cut at its end has arrived, and its response is lost.
      if (cutAfter === 0 || cutAt !== undefined) return void request.socket.destroy()
      const bytes = body instanceof Uint8Array
        ? body
        : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
      response.writeHead(status, {
        "content-type": body instanceof Uint8Array
          ? "audio/wav"
          : typeof body === "string"
          ? "text/html"
          : "application/json",
        ...(status !== 204 && { "content-length": bytes.length })
      })
      if (status === 204) return void response.end()
      if (cutAfter === undefined) return void response.end(bytes)
      response.write(bytes.subarray(0, cutAfter), () => void request.socket.destroy())
    }
    serve().catch(() => response.destroy())
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  const stop = Effect.callback<void>((resume) => {
    for (const socket of sockets) socket.destroy()
    server.close(() => resume(Effect.void))
  })
  const port = yield* listen(server, 0)
  yield* Effect.addFinalizer(() => stop)

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    waiting: () => waiting,
    setCondition: Effect.fnUntraced(function*(next) {
      if (condition === "unreachable") yield* listen(server, port)
      condition = next
      if (next === "unreachable") yield* stop
    })
  }
})
