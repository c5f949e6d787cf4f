import { type AddressInfo, createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { WebhookTransport } from "@outdial/core"
import { Duration, Effect, Option, Ref, Schedule } from "effect"
import { GatedTransport } from "../../src/index.ts"
import * as HostileAnswers from "./HostileAnswers.ts"

/** A receiver made of bare sockets. */
const receiver = (answer: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const sockets = new Set<Socket>()
      let [connections, bytes] = [0, 0]
      const server = createServer((socket) => {
        connections += 1
        sockets.add(socket)
        socket.on("error", () => {})
        socket.once("close", () => {
          bytes += socket.bytesWritten
          sockets.delete(socket)
        })
        let request = ""
        socket.on("data", (chunk) => {
          request += chunk.toString()
          if (!request.endsWith("\r\n\r\n{}")) return
          request = ""
          answer(socket)
        })
      })
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      // A server that listens on a port has an address with one.
      const { port } = server.address() as AddressInfo
      return {
        url: `http://127.0.0.1:${port}/`,
        open: () => sockets.size,
        connections: () => connections,
        bytes: () => bytes,
        close: () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )

const send = (url: string, timeout: Duration.Input) =>
  Effect.flatMap(WebhookTransport.WebhookTransport, (transport) => transport.send({ url, headers: {}, body: "{}" }))
    .pipe(
      Effect.map(({ statusCode }): number | string => statusCode),
      Effect.catch(({ errorCode }) => Effect.succeed(errorCode)),
      Effect.timeoutOption(timeout),
      Effect.map(Option.getOrElse(() => "waiting"))
    )

/** Waits until nothing is connected any more. */
const released = ({ open }: { readonly open: () => number }) =>
  Effect.sync(open).pipe(
    Effect.filterOrFail((count) => count === 0),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 3_000 })
  )

describe("hostile answers", { concurrent: true }, () => {
  for (const [what, { answer, comesTo }] of Object.entries(HostileAnswers.answers)) {
    it.live(`copes with a receiver that ${what}`, () =>
      Effect.gen(function*() {
        const hostile = yield* receiver(answer)
        // Cases that hang take the whole timeout; others have enough time on a busy machine.
        const result = yield* send(hostile.url, comesTo === "waiting" ? "1 second" : "60 seconds")
        if (comesTo === "failure") assert.notInclude([200, "waiting"], result)
        else assert.strictEqual(result, comesTo)
        assert.strictEqual(hostile.connections(), 1)
        // What the other side keeps open is not kept open here.
        if (result === "waiting" || comesTo === 200) {
          yield* released(hostile)
          assert.isBelow(hostile.bytes(), 20e6)
        }
      }).pipe(Effect.provide(GatedTransport.layer({ loopback: true }))), 120_000)
  }

  it.live("is not taken in by an answer that was sent before the question", () =>
    Effect.gen(function*() {
      const asked = yield* Ref.make(0)
      const hostile = yield* receiver((socket) => {
        Effect.runSync(Ref.update(asked, (n) => n + 1))
        const honest = "HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n"
        socket.write(`${honest}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`)
      })
      for (let n = 0; n < 3; n++) assert.strictEqual(yield* send(hostile.url, "60 seconds"), 503)
      assert.strictEqual(yield* Ref.get(asked), 3)
    }).pipe(Effect.provide(GatedTransport.layer({ loopback: true }))))
})
