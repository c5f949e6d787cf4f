import { Effect } from "effect"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** The server listens on a free port, which this returns, until the scope closes. */
export const listen = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
