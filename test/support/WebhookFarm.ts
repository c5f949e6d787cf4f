/** Receivers over real HTTP on one port, one per path, whose behaviour tests change; they count what they have taken. */
import { Effect } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

export const answer = (status: number, headers: Record<string, string> = {}): Behaviour => (_, response) => {
  response.writeHead(status, headers).end("thanks")
}

/** Takes the event, and is cut off in the middle of saying so. */
export const cut: Behaviour = (_, response) => {
  response.socket?.write("HTTP/1.1 200 OK\r\nConte")
  response.socket?.destroy()
}

export const silence: Behaviour = () => {}

export interface Taken {
  readonly eventId: string
  readonly path: string
  /** Whether it was answered with success, so that it must not come again. */
  readonly confirmed: boolean
}

/** Closed with the scope. */
export const make = Effect.acquireRelease(
  Effect.sync(() => {
    const behaviours = new Map<string, Behaviour>()
    const taken: Array<Taken> = []
    const requests: Array<string> = []
    const waiting: Array<{ readonly isSo: () => boolean; readonly resolve: () => void }> = []
    let server: Server | undefined
    let port = 0

    const check = () => {
      for (const { isSo, resolve } of waiting) if (isSo()) resolve()
    }

    const serve: Behaviour = (request, response) => {
      const path = request.url ?? ""
      requests.push(path)
      request.resume().on("end", () => {
        const behave = behaviours.get(path) ?? answer(200)
        behave(request, response)
        const confirmed = response.headersSent && response.statusCode >= 200 && response.statusCode < 300
        if (confirmed || behave === cut) taken.push({ eventId: String(request.headers["webhook-id"]), path, confirmed })
        check()
      })
    }

    const up = Effect.promise(() =>
      new Promise<void>((resolve, reject) => {
        const started = createServer(serve).once("error", reject)
        server = started
        // The port stays the same when it comes back.
        started.listen(port, "127.0.0.1", () => {
          // A server that listens on a port has such an address.
          port = (started.address() as AddressInfo).port
          resolve()
        })
      })
    )
    const down = Effect.promise(() =>
      new Promise<void>((resolve) => {
        if (server === undefined) return resolve()
        server.close(() => resolve())
        server.closeAllConnections()
      })
    )
    return {
      up,
      down,
      behave: (path: string, behaviour: Behaviour) => Effect.sync(() => behaviours.set(path, behaviour)),
      url: (path: string) => `http://127.0.0.1:${port}${path}`,
      requests: Effect.sync((): ReadonlyArray<string> => [...requests]),
      taken: Effect.sync((): ReadonlyArray<Taken> => [...taken]),
      /** Returns when it is so. */
      until: (isSo: (taken: ReadonlyArray<Taken>, requests: ReadonlyArray<string>) => boolean) =>
        Effect.promise(() =>
          new Promise<void>((resolve) => {
            waiting.push({ isSo: () => isSo(taken, requests), resolve })
            check()
          })
        ),
      /** Of these events: how many never arrived, and how many came more than once. */
      count: (eventIds: ReadonlyArray<string>) =>
        Effect.sync(() => {
          const times = Map.groupBy(taken, ({ eventId }) => eventId)
          return {
            lost: eventIds.filter((id) => !times.has(id)).length,
            duplicated: eventIds.filter((id) => (times.get(id)?.length ?? 0) > 1).length
          }
        })
    }
  }).pipe(Effect.tap(({ up }) => up)),
  ({ down }) => down
)
