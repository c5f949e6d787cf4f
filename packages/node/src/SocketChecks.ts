/** Notices peers of WebSockets that are gone. */
import type * as NodeWS from "@effect/platform-node/NodeWS"
import { Limits } from "@outdial/core"
import { Duration, Effect } from "effect"

/** A connection whose peer does not answer the closing handshake is destroyed after this time. */
export const closeTimeout = Duration.seconds(2)

export const checkEvery = Duration.seconds(1)

/** Run every `checkEvery`: ends the connections of peers that do not read, or do not answer a ping. */
export const endGone = (sockets: ReadonlySet<NodeWS.WebSocket>): Effect.Effect<void> => {
  const awaited = new WeakSet<NodeWS.WebSocket>()
  let checks = 0
  return Effect.sync(() => {
    const isPingDue = ++checks % Math.round(Duration.toMillis(Limits.socketPing) / Duration.toMillis(checkEvery)) === 0
    for (const socket of sockets) {
      if (socket.bufferedAmount > Limits.socketUnsentBytes || (isPingDue && awaited.has(socket))) socket.terminate()
      else if (isPingDue && socket.readyState === socket.OPEN) {
        awaited.add(socket)
        socket.once("pong", () => awaited.delete(socket)).ping()
      }
    }
  })
}
