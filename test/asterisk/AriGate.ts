/** A way to ARI on which each request and each event can be treated by itself: lost, held, or answered in the place of Asterisk. */
import { Effect } from "effect"
import { createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"

export interface Asked {
  readonly method: string
  /** With its query, such as `/ari/channels/call_1/dial?timeout=45`. */
  readonly path: string
  readonly body: string
}

/** What becomes of a request: its connection is lost, nothing comes back, or a response with this status comes. */
export type Fate = "hold" | "lose" | number

export interface Treatment {
  /** Asterisk does not get it. */
  readonly before?: Fate
  /** Asterisk gets it and carries it out. */
  readonly after?: Fate
  /** Is run then. */
  readonly carriedOut?: () => void
}

export interface AriGate {
  readonly ariUrl: string
  /** How requests are treated from now on. Default: as they should be. */
  readonly treat: (of: (asked: Asked) => Treatment) => void
  /** Which events are lost from now on, by their text. Default: none. */
  readonly lose: (isLost: (event: string) => boolean) => void
  /** How many requests are held. */
  readonly held: () => number
}

export const make = (ariUrl: string) =>
  Effect.acquireRelease(
    Effect.callback<AriGate & { readonly close: () => void }>((resume) => {
      const target = new URL(ariUrl)
      let treatmentOf: (asked: Asked) => Treatment = () => ({})
      let isLost: (event: string) => boolean = () => false
      const held = new Set<ServerResponse>()
      const sockets = new Set<Socket>()

      /** What Asterisk answers. */
      const forward = ({ headers }: IncomingMessage, { body, method, path }: Asked) =>
        new Promise<{ readonly status: number; readonly type: string; readonly body: string }>((done, fail) => {
          const forwarded = send({ host: target.hostname, port: target.port, method, path, headers }, (response) => {
            void textOf(response).then((body) =>
              done({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", body })
            )
          })
          forwarded.on("error", fail).end(body)
        })

      const meet = (fate: Fate, response: ServerResponse) => {
        if (fate === "lose") return response.socket?.destroy()
        if (fate !== "hold") {
          return response.writeHead(fate, { "content-type": "application/json" }).end(`{"message":"Not now"}`)
        }
        held.add(response)
        response.on("close", () => held.delete(response))
      }

      const server = createServer((request, response) => {
        response.on("error", () => {})
        void textOf(request).then(async (body) => {
          const asked = { method: request.method ?? "", path: request.url ?? "", body }
          const { after, before, carriedOut } = treatmentOf(asked)
          if (before !== undefined) return meet(before, response)
          const answer = await forward(request, asked)
          carriedOut?.()
          if (after !== undefined) return meet(after, response)
          response.writeHead(answer.status, answer.type === "" ? {} : { "content-type": answer.type }).end(answer.body)
        }).catch(() => response.socket?.destroy())
      })

      // Of events and sound.
      server.on("upgrade", (request: IncomingMessage, near: Socket) => {
        const { method, headers, url: path } = request
        const upgrade = send({ host: target.hostname, port: target.port, method, path, headers })
        sockets.add(near)
        near.on("error", () => {}).on("close", () => sockets.delete(near))
        upgrade.on("error", () => near.destroy())
        upgrade.on("response", () => near.destroy())
        upgrade.on("upgrade", (response, far: Socket, head: Buffer) => {
          const { rawHeaders: raw } = response
          const lines = raw.flatMap((name, index) => index % 2 === 0 ? [`${name}: ${raw[index + 1]}`] : [])
          near.write(["HTTP/1.1 101 Switching Protocols", ...lines, "", ""].join("\r\n"))
          let rest: Buffer = Buffer.alloc(0)
          const receive = (chunk: Buffer) => {
            rest = Buffer.concat([rest, chunk])
            for (let length = frameLength(rest); length !== undefined; length = frameLength(rest)) {
              const frame = rest.subarray(0, length)
              rest = rest.subarray(length)
              if (path?.includes("/events?") !== true || !isLost(frame.toString("utf8"))) near.write(frame)
            }
          }
          receive(head)
          far.on("data", receive).on("error", () => {}).on("close", () => near.destroy())
          near.on("close", () => far.destroy()).pipe(far)
        })
        upgrade.end()
      })

      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          ariUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
          treat: (of) => {
            treatmentOf = of
          },
          lose: (given) => {
            isLost = given
          },
          held: () => held.size,
          close: () => {
            sockets.forEach((socket) => socket.destroy())
            server.closeAllConnections()
            server.close()
          }
        })))
    }),
    ({ close }) => Effect.sync(close)
  )

const textOf = async (message: IncomingMessage) => {
  let text = ""
  for await (const chunk of message.setEncoding("utf8")) text += chunk as string
  return text
}

/** How long the first frame of a WebSocket is, from its server; none when it is not complete. */
const frameLength = (bytes: Buffer): number | undefined => {
  const short = (bytes[1] ?? 0) & 127
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < head) return undefined
  const length = head +
    (short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short)
  return bytes.length < length ? undefined : length
}
