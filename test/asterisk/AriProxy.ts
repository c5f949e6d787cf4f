/** A way to ARI that can be cut, silenced, and made to lose a part of an answer. */
import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

export interface AriProxy {
  readonly ariUrl: string
  /**
   * From now on, answers to requests whose first line has this text are cut after so many bytes, and their connection is lost. Returns what
   * ends that.
   */
  readonly cutAfter: (line: string, bytes: number) => () => void
  /** `cut`: no connection is taken, and those that there are end. `silent`: nothing comes through. */
  readonly setCondition: (condition: "cut" | "silent" | "well") => void
  /** Ends the WebSockets alone. */
  readonly loseSockets: () => void
}

export const make = (ariUrl: string) =>
  Effect.acquireRelease(
    Effect.callback<AriProxy & { readonly close: () => void }>((resume) => {
      const target = new URL(ariUrl)
      const open = new Set<{ readonly near: Socket; readonly far: Socket; isWebSocket: boolean }>()
      const cuts = new Map<string, number>()
      let condition: "cut" | "silent" | "well" = "well"
      const server = createServer((near) => {
        if (condition === "cut") return near.destroy()
        const far = connect(Number(target.port), target.hostname)
        const pair = { near, far, isWebSocket: false }
        open.add(pair)
        /** How many bytes of the answer may still come through. */
        let left: number | undefined
        near.on("data", (chunk) => {
          const [line = ""] = chunk.toString("latin1").split("\r\n", 1)
          if (/^(GET|POST|PUT|DELETE) /.test(line)) {
            left = [...cuts].find(([text]) => line.includes(text))?.[1]
            pair.isWebSocket = line.includes("/events?") || line.includes("/media/")
          }
          if (condition !== "silent") far.write(chunk)
        })
        far.on("data", (chunk) => {
          if (condition === "silent") return
          if (left === undefined) return near.write(chunk)
          near.write(chunk.subarray(0, left))
          left -= chunk.length
          if (left <= 0) {
            near.end(() => near.destroy())
            far.destroy()
          }
        })
        for (const socket of [near, far]) {
          socket.on("error", () => {}).on("close", () => {
            open.delete(pair)
            near.destroy()
            far.destroy()
          })
        }
      }).listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          ariUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
          cutAfter: (line, bytes) => {
            cuts.set(line, bytes)
            return () => void cuts.delete(line)
          },
          setCondition: (given) => {
            condition = given
            if (given === "cut") open.forEach(({ near }) => near.destroy())
          },
          loseSockets: () => open.forEach(({ isWebSocket, near }) => isWebSocket && near.destroy()),
          close: () => {
            open.forEach(({ near }) => near.destroy())
            server.close()
          }
        })))
    }),
    ({ close }) => Effect.sync(close)
  )
