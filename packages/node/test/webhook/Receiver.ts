/** A real HTTP server on this machine that keeps what it receives. */
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly method: string | undefined
  readonly url: string | undefined
  readonly body: string
}

export interface Receiver {
  readonly port: number
  readonly url: string
  readonly deliveries: ReadonlyArray<Delivery>
  /** Connections that were ever opened. */
  readonly connections: () => number
}

/** Answers by `answer` once the request has arrived, on a free port, until the scope closes. */
export const make = (answer: RequestListener): Effect.Effect<Receiver, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Receiver & { readonly close: () => void }>((resume) => {
      const deliveries: Array<Delivery> = []
      let connections = 0
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          deliveries.push(deliveryOf(request, Buffer.concat(chunks).toString()))
          answer(request, response)
        })
      })
      server.on("connection", () => connections++)
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({
          port,
          url: `http://127.0.0.1:${port}/hook`,
          deliveries,
          connections: () => connections,
          close
        }))
      })
    }),
    (server) => Effect.sync(server.close)
  )

const deliveryOf = ({ headers, method, url }: IncomingMessage, body: string): Delivery => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  method,
  url,
  body
})
