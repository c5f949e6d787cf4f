/** One address for several servers, as a load balancer has: a connection goes to the next of these ports that takes it. */
import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"

/** Ends with the scope. */
export const make = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly nodes: Array<number>; readonly close: () => void }>((resume) => {
    const nodes: Array<number> = []
    const open = new Set<Socket>()
    let next = 0
    const pass = (near: Socket, tries: number) => {
      const far = connect(nodes[next++ % nodes.length] ?? 0, "127.0.0.1")
      far.on("error", () => tries > 1 && far.connecting ? pass(near, tries - 1) : near.destroy())
      far.on("connect", () => {
        for (const [one, other] of [[near, far], [far, near]] as const) {
          open.add(one)
          one.on("close", () => {
            open.delete(one)
            other.destroy()
          }).pipe(other)
        }
      })
    }
    const server = createServer((near) => pass(near.on("error", () => {}), nodes.length))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed({
        port: typeof address === "object" && address !== null ? address.port : 0,
        nodes,
        close: () => {
          open.forEach((socket) => socket.destroy())
          server.close()
        }
      }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
