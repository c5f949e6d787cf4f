/** Plain clients of a server: requests, and WebSockets with what came over them. */
import { Effect } from "effect"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Listener } from "../../src/index.ts"

/** Serves on a free port until the scope closes. */
export const serve = (handler: Listener, listener: RequestListener = handler) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly server: Server }>((resume) => {
      const server = createServer(listener).on("upgrade", handler.upgrade)
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ port: (server.address() as AddressInfo).port, server })))
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

export interface Response {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

export const request = (url: string, init: RequestInit = {}) =>
  Effect.promise(async (): Promise<Response> => {
    const response = await fetch(url, init)
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
  })

export const signed = { "x-signature": "genuine" }

/** An open connection. */
export interface Connection {
  readonly socket: WebSocket
  readonly received: Array<unknown>
  /** The code with which it was closed. */
  readonly closed: Effect.Effect<number>
  readonly next: Effect.Effect<unknown>
}

/** Opens a WebSocket; fails when the handshake is refused. */
export const open = (url: string, headers: Record<string, string> = signed) =>
  Effect.acquireRelease(
    Effect.callback<Connection, "refused">((resume) => {
      // Node's WebSocket takes headers, which its types do not know.
      const socket = new WebSocket(url.replace(/^http/, "ws"), { headers } as unknown as string[])
      socket.binaryType = "arraybuffer"
      const received: Array<unknown> = []
      const waiting: Array<(message: unknown) => void> = []
      const closed = new Promise<number>((end) => socket.addEventListener("close", ({ code }) => end(code)))
      socket.addEventListener("message", ({ data }) => {
        const message = data instanceof ArrayBuffer ? new Uint8Array(data) : data as unknown
        received.push(message)
        waiting.shift()?.(message)
      })
      socket.addEventListener("error", () => resume(Effect.fail("refused")))
      const next = Effect.callback<unknown>((resume) => {
        waiting.push((message) => resume(Effect.succeed(message)))
      })
      socket.addEventListener("open", () =>
        resume(Effect.succeed({ socket, received, closed: Effect.promise(() => closed), next })))
    }),
    ({ socket }) =>
      Effect.sync(() => socket.close())
  )
