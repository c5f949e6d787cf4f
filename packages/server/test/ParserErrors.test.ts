import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { connect } from "node:net"
import * as HttpListener from "../src/HttpListener.ts"

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

const listening = HttpRouter.serve(
  HttpRouter.use((router) => router.add("*", "/*", HttpServerResponse.empty())),
  { disableListenLog: true, disableLogger: true }
).pipe(Layer.provideMerge(HttpListener.layer({ host: "127.0.0.1", port: 0 })))

describe("answers of Node's parser", () => {
  it.live.each([
    ["headers that are too large", 431, `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${"x".repeat(100_000)}\r\n\r\n`],
    ["what is not HTTP", 400, "not http\r\n\r\n"],
    ["an expectation", 417, "POST / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\nContent-Length: 0\r\n\r\n"]
  ])("carry the envelope and an id: %s", ([, status, bytes]) =>
    Effect.gen(function*() {
      const answer = yield* exchange(yield* HttpListener.port, bytes as string)
      const [head = "", body = ""] = answer.split("\r\n\r\n")
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(head, /connection: close/i)
      const { error } = JSON.parse(body)
      assert.deepStrictEqual([error.code, typeof error.message], ["invalid_request", "string"])
      assert.match(error.request_id, /^req_[0-9a-z]{20}$/)
      assert.include(head, `x-request-id: ${error.request_id}`)
    }).pipe(Effect.provide(listening)))
})

describe("a server that listens already", () => {
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
