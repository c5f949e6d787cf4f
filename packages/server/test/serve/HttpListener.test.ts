import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { connect } from "node:net"
import * as HttpListener from "../../src/serve/HttpListener.ts"

/** The whole answer to these bytes, until the server closes. */
const exchange = (port: number, bytes: string) =>
  Effect.callback<string, Error>((resume) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.setEncoding("utf8").on("data", (text: string) => answer += text)
    socket.on("error", (error) => resume(Effect.fail(error)))
    socket.on("close", () => resume(Effect.succeed(answer)))
    return Effect.sync(() => socket.destroy())
  })

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

const listening = (options: Partial<HttpListener.Options> = {}) =>
  HttpRouter.serve(
    HttpRouter.use((router) =>
      Effect.andThen(
        router.add("*", "/*", HttpServerResponse.empty()),
        // Long enough for what the client sends last to arrive.
        router.add("POST", "/slow", Effect.delay(Effect.succeed(HttpServerResponse.empty()), "100 millis"))
      )
    ),
    { disableListenLog: true, disableLogger: true }
  ).pipe(Layer.provideMerge(HttpListener.layer({ host: "127.0.0.1", port: 0, ...options })))

describe("the server's listener", () => {
  it.live("answers invalid HTTP with the envelope and an id, after the requests in flight", () =>
    Effect.gen(function*() {
      const received = yield* exchange(yield* HttpListener.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\nnot http\r\n\r\n")
      assert.deepStrictEqual(statuses(received), [204, 400])
      const { error } = JSON.parse(received.slice(received.lastIndexOf("\r\n\r\n")))
      assert.deepStrictEqual([error.code, error.message], ["invalid_request", "The request is not valid HTTP"])
      assert.include(received, `x-request-id: ${error.request_id}`)
    }).pipe(Effect.provide(listening())))

  it.live.each(
    [
      ["headers", "GET / HTTP/1.1\r\nHost", [408]],
      ["a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1", [204]]
    ] as const
  )(
    "closes the connection of %s that come too slowly within the time it names",
    ([, bytes, expected]) =>
      Effect.gen(function*() {
        const startedAt = performance.now()
        assert.deepStrictEqual(statuses(yield* exchange(yield* HttpListener.port, bytes)), [...expected])
        const took = performance.now() - startedAt
        assert.isAtLeast(took, 250)
        // Node's own is a minute.
        assert.isBelow(took, 30_000)
      }).pipe(Effect.provide(listening({ requestTimeout: "300 millis" })))
  )

  it.live("handles a request for an upgrade like any other, also after requests in flight", () =>
    Effect.gen(function*() {
      const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
      const upgrade = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n"
      const received = yield* exchange(yield* HttpListener.port, get + upgrade)
      assert.deepStrictEqual(statuses(received), [204, 204])
    }).pipe(Effect.provide(listening())))

  it.live("closes the connection after a request for an upgrade, as Node drops what arrives with it", () =>
    Effect.gen(function*() {
      const upgrade = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
      const received = yield* exchange(yield* HttpListener.port, upgrade + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      assert.deepStrictEqual(statuses(received), [204])
      assert.match(received, /connection: close/i)
    }).pipe(Effect.provide(listening())))

  it.live("opens WebSockets of carriers, and closes them with the server", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const api = Effect.gen(function*() {
        const socket = yield* Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ upgrade }) => upgrade)
        const [{ pull }, { write }] = yield* Effect.all([socket.reader, socket.writer])
        return yield* Effect.forever(Effect.flatMap(pull, ([message]) => write(message)))
        // As the router runs its routes.
      }).pipe(Effect.interruptible)
      yield* HttpListener.serve(api).pipe(Scope.provide(scope))
      const url = `ws://127.0.0.1:${yield* HttpListener.port}/carriers/any/relay`
      const socket = new WebSocket(url)
      const first = yield* Effect.promise(() =>
        new Promise<unknown>((resolve, reject) => {
          socket.addEventListener("message", ({ data }) => resolve(data))
          socket.addEventListener("error", reject)
          socket.addEventListener("open", () => socket.send("hello"))
        })
      )
      assert.strictEqual(first, "hello")
      const closed = new Promise((resolve) => socket.addEventListener("close", resolve))
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => closed)
    }).pipe(Effect.provide(HttpListener.layer({ host: "127.0.0.1", port: 0, shutdownTimeout: "100 millis" }))))

  it.live("answers a client that has closed its side of the connection", () =>
    Effect.gen(function*() {
      const port = yield* HttpListener.port
      const received = yield* Effect.callback<string>((resume) => {
        let answer = ""
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        socket.setEncoding("utf8").on("data", (text: string) => answer += text)
        socket.on("close", () => resume(Effect.succeed(answer)))
        socket.end("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
      })
      assert.deepStrictEqual(statuses(received), [204])
    }).pipe(Effect.provide(listening())))

  it.live("asks to come again while there is nothing that serves, and serves as soon as there is", () =>
    Effect.gen(function*() {
      const url = `http://127.0.0.1:${yield* HttpListener.port}/v1/calls`
      const early = yield* Effect.promise(() => fetch(url))
      const { error } = yield* Effect.promise(() =>
        early.json() as Promise<{ readonly error: Record<string, unknown> }>
      )
      assert.deepStrictEqual([early.status, early.headers.get("retry-after"), error["code"]], [503, "1", "unavailable"])
      assert.strictEqual(early.headers.get("x-request-id"), error["request_id"])
      yield* HttpServer.serveEffect(Effect.succeed(HttpServerResponse.empty()))
      assert.strictEqual((yield* Effect.promise(() => fetch(url))).status, 204)
    }).pipe(Effect.provide(HttpListener.layer({ host: "127.0.0.1", port: 0 }))))
})
