import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "@effect/platform-node/Undici"
import { assert, describe, it } from "@effect/vitest"
import { WebhookTransport } from "@outdial/core"
import { Effect } from "effect"
import { GatedTransport } from "../../src/index.ts"
import * as Receiver from "./Receiver.ts"

const loopback = GatedTransport.layer({ loopback: true })

const send = (url: string) =>
  Effect.flatMap(WebhookTransport.WebhookTransport, (transport) => transport.send({ url, headers: {}, body: "{}" }))

describe("the connections of GatedTransport", () => {
  it.live("uses a connection again", () =>
    Effect.gen(function*() {
      const receiver = yield* Receiver.make((_, response) => response.end("ok"))
      yield* send(receiver.url)
      yield* Effect.sleep("50 millis")
      yield* send(receiver.url)
      assert.strictEqual(receiver.connections(), 1)
    }).pipe(Effect.provide(loopback)))

  it.live("lets no endpoint wait for others behind the same name that never answer", () =>
    Effect.gen(function*() {
      const receiver = yield* Receiver.make((request, response) => {
        if (request.url !== "/hangs") response.end("ok")
      })
      const origin = new URL(receiver.url).origin
      yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.forkScoped(send(`${origin}/hangs`)), {
        discard: true
      })
      yield* Effect.sleep("200 millis")
      const answer = yield* Effect.timeout(send(`${origin}/answers`), "5 seconds")
      assert.strictEqual(answer.statusCode, 200)
    }).pipe(Effect.provide(loopback)))

  it.live("has its own pool, separate from the process's dispatcher and from other transports", () =>
    Effect.gen(function*() {
      const before = getGlobalDispatcher()
      // Requests by the process's own dispatcher would fail here.
      setGlobalDispatcher(new Agent({ connect: (_options, callback) => callback(new Error("Not this one"), null) }))
      yield* Effect.addFinalizer(() => Effect.sync(() => setGlobalDispatcher(before)))
      const receiver = yield* Receiver.make((_, response) => response.end("ok"))
      for (let n = 0; n < 2; n++) {
        const transport = GatedTransport.layer({ loopback: true })
        assert.strictEqual((yield* Effect.provide(send(receiver.url), transport)).statusCode, 200)
      }
      assert.strictEqual(receiver.connections(), 2)
    }))

  it.live("reads a short answer to its end and lets go of a long one, whether or not it says how long it is", () =>
    Effect.gen(function*() {
      const body = (bytes: number) => "x".repeat(bytes)
      const receiver = yield* Receiver.make((request, response) => {
        const [bytes, says] = (request.url ?? "").slice(1).split("-")
        if (says === "says") response.setHeader("content-length", Number(bytes))
        response.end(body(Number(bytes)))
      })
      const origin = new URL(receiver.url).origin
      for (
        const [path, connections] of [["/10-says", 1], ["/1024-says", 1], ["/10-not", 1], ["/5000000-says", 1], [
          "/10-says",
          2
        ]] as const
      ) {
        assert.strictEqual((yield* send(origin + path)).statusCode, 200)
        assert.strictEqual(receiver.connections(), connections, path)
        yield* Effect.sleep("50 millis")
      }
    }).pipe(Effect.provide(loopback)))
})
