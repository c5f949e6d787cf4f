import { assert, it } from "@effect/vitest"
import { WebSocketClients } from "@outdial/node"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Socket } from "effect/socket"
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo, Socket as TcpSocket } from "node:net"
import type { Duplex } from "node:stream"
import { describe } from "vitest"

/** A service that accepts WebSockets, and then does what is asked. */
const service = (accepted: (socket: Duplex, request: IncomingMessage) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const sockets = new Set<TcpSocket>()
      const server = createServer()
      server.on("connection", (socket) => sockets.add(socket))
      server.on("upgrade", (request, socket) => {
        const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
        socket.on("error", () => socket.destroy())
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${
            createHash("sha1").update(key).digest("base64")
          }\r\n\r\n`
        )
        accepted(socket, request)
      })
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
          close: () => {
            for (const socket of sockets) socket.destroy()
            server.close()
          }
        })))
    }),
    ({ close }) => Effect.sync(close)
  )

/** Opens a connection. Returns the code with which it is closed. */
const connect = Effect.fnUntraced(function*(url: string) {
  const construct = yield* Socket.WebSocketConstructor
  const closed = yield* Deferred.make<number | undefined>()
  const opened = yield* Deferred.make<void>()
  const socket = construct(url, { headers: { authorization: "Token 1" } })
  socket.addEventListener("open", () => Deferred.doneUnsafe(opened, Effect.void))
  socket.addEventListener("error", () => undefined)
  socket.addEventListener("close", ({ code }) => Deferred.doneUnsafe(closed, Effect.succeed(code)))
  yield* Deferred.await(opened)
  return closed
})

describe("WebSocketClients", () => {
  it.effect("end when the service does not answer pings", () =>
    Effect.gen(function*() {
      const headers: Array<string | undefined> = []
      const { url } = yield* service((_, request) => headers.push(request.headers.authorization))
      const closed = yield* connect(url)
      let seconds = 0
      while (!(yield* Deferred.isDone(closed)) && seconds < 100) {
        seconds += 1
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.strictEqual(yield* Deferred.await(closed), 1006)
      assert.isAtLeast(seconds, 40)
      assert.deepStrictEqual(headers, ["Token 1"])
    }).pipe(Effect.provide(WebSocketClients.layer)))

  it.effect("end when a message is too long", () =>
    Effect.gen(function*() {
      const { url } = yield* service((socket) => {
        const header = Buffer.alloc(10)
        // Text of 1 GB is announced.
        header.set([0x81, 127])
        header.writeBigUInt64BE(1_000_000_000n, 2)
        socket.write(header)
        socket.once("data", () => socket.end())
      })
      assert.strictEqual(yield* Deferred.await(yield* connect(url)), 1006)
    }).pipe(Effect.provide(WebSocketClients.layer)))
})
