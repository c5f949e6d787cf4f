/** A proxy of a carrier's API that cuts the next connection after so many bytes in one direction, heads included. */
import { Effect, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

/** After how many bytes of the request, or of the response, the connection is lost. */
export interface Cut {
  readonly of: "request" | "response"
  readonly after: number
}

export interface CuttingProxy {
  readonly url: string
  readonly connections: () => number
  /** The bytes that the last connection has passed on. */
  readonly passed: () => { readonly request: number; readonly response: number }
  /** The next connection is cut so. Without it, none is. */
  readonly cut: (next: Cut | undefined) => void
}

export const make = Effect.fnUntraced(function*(target: string): Effect.fn.Return<CuttingProxy, never, Scope.Scope> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let next: Cut | undefined
  let count = 0
  let passed = { request: 0, response: 0 }

  const server = createServer((client) => {
    count += 1
    const cut = next
    next = undefined
    const counts = { request: 0, response: 0 }
    passed = counts
    const carrier = connect(Number(port), hostname)
    const both = [client, carrier]
    const lose = () => both.forEach((socket) => void socket.destroy())
    for (const socket of both) {
      open.add(socket)
      socket.on("error", lose)
      socket.on("close", () => {
        open.delete(socket)
        lose()
      })
    }
    const pass = (of: Cut["of"], from: Socket, to: Socket) => {
      from.on("data", (chunk) => {
        if (cut?.of !== of) {
          counts[of] += chunk.length
          return void to.write(chunk)
        }
        const part = chunk.subarray(0, cut.after - counts[of])
        counts[of] += part.length
        if (counts[of] < cut.after) return void to.write(part)
        from.pause()
        to.write(part, lose)
      })
    }
    pass("request", client, carrier)
    pass("response", carrier, client)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        for (const socket of open) socket.destroy()
        server.close()
      })
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    passed: () => passed,
    cut: (given) => {
      next = given
    }
  }
})
