/**
 * What fakes of speech services have in common: real WebSockets, with the answers that real ones give to a wrong key or address. What the
 * client does against the protocol is a problem, and ends its connection.
 */
import * as NodeWS from "@effect/platform-node/NodeWS"
import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

export interface Session {
  readonly url: URL
  readonly send: (message: unknown) => void
  /** What the client has done wrong. */
  readonly problem: (what: string) => void
  readonly close: (code: number) => void
}

export interface Listener {
  readonly text: (message: string) => void
  readonly bytes?: (data: Uint8Array) => void
}

export interface FakeService {
  /** Without a path. */
  readonly url: string
  /** The address of each connection, without the host. */
  readonly connections: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
  /** How many messages have come on all connections. */
  readonly received: () => number
  /** How many connections are open. */
  readonly open: () => number
  /** All connections are lost without a word. */
  readonly cut: () => void
  /** From now on each request is answered in this way; by default well. */
  readonly setCondition: (condition: Condition) => void
}

/**
 * A status that the service answers with; `html`: a page; `nonsense`: a connection whose messages are not JSON; `deaf`: one that reads
 * nothing.
 */
export type Condition = "well" | "deaf" | "html" | "nonsense" | number

export interface Options {
  /** The status for a request that is refused. */
  readonly refusal: (request: IncomingMessage, url: URL) => number | undefined
  readonly accept: (session: Session) => Listener
}

export const make = ({ accept, refusal }: Options): Effect.Effect<FakeService, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.promise(() => start({ accept, refusal })), ({ close }) => Effect.promise(close)),
    ({ service }) => service
  )

const start = async ({ accept, refusal }: Options) => {
  const connections: Array<string> = []
  const problems: Array<string> = []
  let condition: Condition = "well"
  let received = 0
  const sockets = new NodeWS.WebSocketServer({ noServer: true, perMessageDeflate: false })
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" })
    response.end("<html>Welcome</html>")
  })
  server.on("upgrade", (request: IncomingMessage, socket, head) => {
    const url = new URL(request.url ?? "/", "http://fake.test")
    const status = typeof condition === "number" ? condition : condition === "html" ? 200 : refusal(request, url)
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>`)
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      connections.push(`${url.pathname}${url.search}`)
      const listener = accept({
        url,
        send: (message) => webSocket.send(JSON.stringify(message)),
        problem: (what) => {
          problems.push(what)
          webSocket.close(1008)
        },
        close: (code) => webSocket.close(code)
      })
      webSocket.on("message", (data, isBinary) => {
        received += 1
        const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)
        if (isBinary) return listener.bytes === undefined ? problems.push("bytes") : listener.bytes(bytes)
        return listener.text(bytes.toString())
      })
      if (condition === "deaf") webSocket.pause()
      if (condition === "nonsense") webSocket.send("<html>Welcome</html>")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const cut = () => {
    for (const client of sockets.clients) client.terminate()
  }
  return {
    service: {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      connections,
      problems,
      received: () => received,
      open: () => sockets.clients.size,
      cut,
      setCondition: (next: Condition) => void (condition = next)
    },
    close: () =>
      new Promise<void>((resolve) => {
        cut()
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
