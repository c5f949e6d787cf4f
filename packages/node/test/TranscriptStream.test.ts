import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, MemoryStorage, Readiness, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Redacted, Schedule } from "effect"
import * as LoggedCall from "../../../test/support/LoggedCall.ts"
import { NodeHandler } from "../src/index.ts"

let reads = 0

/** Memory that counts reads of logs. */
const storage = Layer.effect(
  Storage.Storage,
  Effect.map(Storage.Storage, ({ conversations, ...others }) => ({
    ...others,
    conversations: {
      ...conversations,
      readMany: (options: Parameters<typeof conversations.readMany>[0]) => {
        reads += 1
        return conversations.readMany(options)
      }
    }
  }))
).pipe(Layer.provide(MemoryStorage.layer))

const layer = NodeHandler.layer.pipe(Layer.provideMerge(TestEngine.layer({ ...LoggedCall.engine, storage })))

/** A server, which is closed as a graceful shutdown does: it waits for the responses. */
const serve = Effect.gen(function*() {
  const handler = yield* NodeHandler
  const server = createServer(handler)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.closeAllConnections())
  )
  return {
    // A server that listens on TCP has such an address.
    port: (server.address() as AddressInfo).port,
    close: Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  }
})

/** Asks for the stream on a connection of its own, of which the test reads as much as it wants. */
const open = Effect.fnUntraced(function*(port: number, callId: string, headers: ReadonlyArray<string> = []) {
  const { accountId } = yield* TestEngine.Tenant
  const keys = yield* ApiKeys.ApiKeys
  const { secret } = yield* keys.create(accountId, { name: "follower", scopes: ["calls:read"] })
  const request = [
    `GET /v1/calls/${callId}/transcript HTTP/1.1`,
    "host: outdial.test",
    "accept: text/event-stream",
    `x-api-key: ${Redacted.value(secret)}`,
    ...headers
  ]
  const socket = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk) => (text += chunk))
  socket.write(`${request.join("\r\n")}\r\n\r\n`)
  return { socket, text: () => text }
})

const eventually = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.retry(effect, { schedule: Schedule.spaced("20 millis"), times: 500 })

const until = (condition: () => boolean) =>
  eventually(Effect.suspend(() => condition() ? Effect.void : Effect.fail("not yet" as const)))

const long = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => LoggedCall.turn("contact", `${from + index} ${"x".repeat(3_900)}`, index))

const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))

const numbers = (to: number) => Array.from({ length: to }, (_, index) => index + 1)

describe("a transcript that is streamed by node:http", () => {
  it.live("is read from storage no faster than the client reads it, and is complete", () =>
    Effect.gen(function*() {
      const { append, callId, end } = yield* LoggedCall.talking
      const { port } = yield* serve
      // Far more than the buffers of two sockets hold.
      yield* append(...long(1, 5_000))
      const { socket, text } = yield* open(port, callId)
      socket.pause()
      let seen = -1
      yield* eventually(
        Effect.suspend(() => {
          const isStill = seen === reads
          seen = reads
          return isStill && reads > 0 ? Effect.void : Effect.fail("it still reads")
        }).pipe(Effect.delay("200 millis"))
      )
      assert.isBelow(reads, 45, "some of the 51 pages wait in storage")
      yield* end
      socket.resume()
      yield* until(() => text().includes("event: sealed"))
      assert.deepStrictEqual(idsIn(text()), numbers(5_000))
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("does not hold up a shutdown, not even for a client that does not read", () =>
    Effect.gen(function*() {
      const { append, callId } = yield* LoggedCall.talking
      const { close, port } = yield* serve
      yield* append(...long(1, 5_000))
      const stuck = yield* open(port, callId)
      stuck.socket.pause()
      const { id: other } = yield* LoggedCall.queued
      const idle = yield* open(port, other)
      yield* until(() => idle.text().includes(":\n\n"))
      yield* Effect.flatMap(Readiness.Readiness, ({ drain }) => drain)
      const closed = yield* Effect.timeoutOption(close, "3 seconds")
      assert.strictEqual(closed._tag, "Some")
      // The end of the chunked body: the client knows that nothing is missing.
      assert.isTrue(idle.text().endsWith("0\r\n\r\n"))
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("continues on another connection where the last one broke", () =>
    Effect.gen(function*() {
      const { append, callId, end } = yield* LoggedCall.talking
      const { port } = yield* serve
      const received: Array<number> = []
      let said = 0
      while (received.length < 30) {
        const last = received.at(-1)
        const { socket, text } = yield* open(port, callId, last === undefined ? [] : [`last-event-id: ${last}`])
        yield* append(...long(said + 1, 10))
        said += 10
        yield* until(() => idsIn(text()).length >= 3)
        // Breaks in the middle; a client counts only complete events.
        socket.destroy()
        received.push(...idsIn(text().slice(0, text().lastIndexOf("\n\n"))))
      }
      yield* end
      const { text } = yield* open(port, callId, [`last-event-id: ${received.at(-1)}`])
      yield* until(() => text().includes("event: sealed"))
      received.push(...idsIn(text()))
      assert.deepStrictEqual(received, numbers(said))
    }).pipe(Effect.scoped, Effect.provide(layer)))
})
