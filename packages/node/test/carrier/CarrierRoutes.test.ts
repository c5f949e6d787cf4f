import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { CarrierRoutes, CarrierTokens, Ids } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Context, DateTime, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { NodeHandler } from "../../src/index.ts"
import * as Client from "./Client.ts"
import * as RouteCarrier from "./RouteCarrier.ts"

const { signed } = Client

const layer = NodeHandler.layer.pipe(
  Layer.provideMerge(
    TestEngine.layer({ telephony: RouteCarrier.layer.pipe(Layer.provide(RouteCarrier.Accepted.layer)) })
  ),
  Layer.provideMerge(RouteCarrier.Accepted.layer)
)

const origin = Effect.gen(function*() {
  const { port } = yield* Client.serve(yield* NodeHandler)
  return `http://127.0.0.1:${port}`
})

const post = (body: string, headers: Record<string, string> = signed) => ({ method: "POST", body, headers })

describe("callbacks of a carrier", () => {
  it.live("reach the carrier with their bytes and the URL as it was sent, without an API key", () =>
    Effect.gen(function*() {
      const path = `${yield* RouteCarrier.pathOf("status")}?a=b%2Fc&d`
      const url = (yield* origin) + path
      const { callbacks } = yield* RouteCarrier.Accepted
      assert.deepStrictEqual(yield* Client.request(url, post("a=1&b=ü")), { status: 204, type: null, text: "" })
      assert.deepStrictEqual(yield* Client.request(url, post("say")), { status: 200, type: "text/xml", text: "<Say/>" })
      assert.deepStrictEqual(callbacks, [{ url: path, body: "a=1&b=ü" }, { url: path, body: "say" }])
    }).pipe(Effect.provide(layer)))

  it.live("are refused with one response for every cause, and change nothing", () =>
    Effect.gen(function*() {
      const [base, path] = [yield* origin, yield* RouteCarrier.pathOf("status")]
      const tokens = yield* CarrierTokens.CarrierTokens
      const expiresAt = DateTime.subtract(yield* DateTime.now, { seconds: 1 })
      const expired = yield* tokens.make({
        accountId: Ids.AccountId.make("acct_1"),
        callId: Ids.CallId.make("call_1"),
        purpose: "status",
        expiresAt
      })
      const ofRelay = (yield* RouteCarrier.pathOf("relay")).replace("/relay/", "/status/")
      const refusals = yield* Effect.forEach(
        [
          [path, {}],
          [path, { "x-signature": "forged" }],
          [path.slice(0, -1), signed],
          [`${path}A`, signed],
          [`${path}=`, signed],
          [path.replace("call_1", "call_2"), signed],
          [path.replace(/\.[0-9a-z]+\./, ".zzzzzz."), signed],
          [`/carriers/exemplary/status/${expired}`, signed],
          [ofRelay, signed],
          ["/carriers/exemplary/status", signed],
          [`/carriers/exemplary/status/${"a.".repeat(2000)}`, signed]
        ] as const,
        ([path, headers]) => Client.request(base + path, post("x", headers))
      )
      const refusal = {
        status: 403,
        type: "application/json",
        text:
          "{\"error\":{\"code\":\"forbidden\",\"message\":\"The signature or the token of the request is missing or wrong\"}}"
      }
      for (const answer of refusals) assert.deepStrictEqual(answer, refusal)
      assert.deepStrictEqual((yield* RouteCarrier.Accepted).callbacks, [])
    }).pipe(Effect.provide(layer)))

  it.live("are bounded, and of other methods and paths unknown", () =>
    Effect.gen(function*() {
      const [base, path] = [yield* origin, yield* RouteCarrier.pathOf("status")]
      const statuses = yield* Effect.forEach(
        [
          [path, post("x".repeat(262_145))],
          [path, post("nonsense")],
          [path, { headers: signed }],
          ["/carriers/exemplary/nothing", post("x")],
          ["/carriers/other/status", post("x")],
          ["/carriers", post("x")]
        ] as const,
        ([path, init]) => Effect.map(Client.request(base + path, init), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [413, 400, 404, 404, 404, 404])
    }).pipe(Effect.provide(layer)))

  it.live("are not served from a body that a parser has read, because the signed bytes are lost", () =>
    Effect.gen(function*() {
      const handler = yield* NodeHandler
      const { port } = yield* Client.serve(handler, (request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () =>
          setImmediate(() => {
            const rawBody = Buffer.concat(chunks)
            const kept = request.headers["x-keep"] === undefined ? {} : { rawBody }
            handler(Object.assign(request, { body: { parsed: true }, ...kept }), response)
          }))
      })
      const url = `http://127.0.0.1:${port}${yield* RouteCarrier.pathOf("status")}`
      assert.strictEqual((yield* Client.request(url, post("lost"))).status, 500)
      assert.strictEqual((yield* Client.request(url, post("raw", { ...signed, "x-keep": "1" }))).status, 204)
      const { callbacks } = yield* RouteCarrier.Accepted
      assert.deepStrictEqual(callbacks.map(({ body }) => body), ["raw"])
    }).pipe(Effect.provide(layer)))
})

describe("WebSockets of a carrier", () => {
  const connected = Effect.gen(function*() {
    return yield* Client.open((yield* origin) + (yield* RouteCarrier.pathOf("relay")))
  })

  it.live("exchange text and bytes, and are closed by the carrier's handler", () =>
    Effect.gen(function*() {
      const { closed, next, socket } = yield* connected
      socket.send("hello")
      assert.strictEqual(yield* next, "hello")
      socket.send(new Uint8Array([1, 2, 3]))
      assert.deepStrictEqual(yield* next, new Uint8Array([1, 2, 3]))
      socket.send("bye")
      assert.strictEqual(yield* closed, 1000)
      const { ended, messages } = yield* RouteCarrier.Accepted
      yield* Deferred.await(ended)
      assert.deepStrictEqual(messages, ["hello", 3, "bye"])
    }).pipe(Effect.provide(layer)))

  it.live("are refused without signature and token before they open, with the response of callbacks", () =>
    Effect.gen(function*() {
      const [base, path] = [yield* origin, yield* RouteCarrier.pathOf("relay")]
      for (const [url, headers] of [[path, {}], [`${path}A`, signed], ["/carriers/exemplary/relay", signed]] as const) {
        assert.strictEqual(yield* Effect.flip(Client.open(base + url, headers)), "refused")
      }
      const plain = yield* Client.request(base + path)
      assert.strictEqual(plain.status, 403)
      const head =
        "GET /carriers/exemplary/relay HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      const answer = yield* exchange(Number(new URL(base).port), head)
      assert.match(answer, /^HTTP\/1\.1 403 /)
      assert.isTrue(answer.endsWith(plain.text))
      assert.strictEqual((yield* Client.request(base + path, { headers: signed })).status, 426)
    }).pipe(Effect.provide(layer)))

  it.live("end their handler gently when the peer vanishes", () =>
    Effect.gen(function*() {
      const { port } = yield* Client.serve(yield* NodeHandler)
      const path = yield* RouteCarrier.pathOf("relay")
      const peer = yield* rawPeer(port, path)
      peer.destroy()
      yield* Deferred.await((yield* RouteCarrier.Accepted).ended)
    }).pipe(Effect.provide(layer)))

  it.live("end when the peer closes only its own side", () =>
    Effect.gen(function*() {
      const { port } = yield* Client.serve(yield* NodeHandler)
      const peer = yield* rawPeer(port, yield* RouteCarrier.pathOf("relay"))
      peer.end()
      yield* Deferred.await((yield* RouteCarrier.Accepted).ended)
    }).pipe(Effect.provide(layer)))

  it.live("close when a message is too large", () =>
    Effect.gen(function*() {
      const { closed, socket } = yield* connected
      socket.send("x".repeat(65_537))
      assert.strictEqual(yield* closed, 1009)
      yield* Deferred.await((yield* RouteCarrier.Accepted).ended)
      assert.deepStrictEqual((yield* RouteCarrier.Accepted).messages, [])
    }).pipe(Effect.provide(layer)))

  it.live("close when the peer sends too many messages", () =>
    Effect.gen(function*() {
      const { closed, socket } = yield* connected
      for (let n = 0; n < 2_000; n++) socket.send(String(n))
      assert.strictEqual(yield* closed, 1008)
      assert.isBelow((yield* RouteCarrier.Accepted).messages.length, 1_100)
    }).pipe(Effect.provide(layer)))

  it.effect("close when the peer says nothing at first", () =>
    Effect.gen(function*() {
      const { closed } = yield* connected
      const [code, seconds] = yield* advanceUntil(closed)
      assert.strictEqual(code, 1008)
      assert.isAtLeast(seconds, 10)
    }).pipe(Effect.provide(layer)))

  it.effect("break when the peer does not answer pings", () =>
    Effect.gen(function*() {
      const { port } = yield* Client.serve(yield* NodeHandler)
      const peer = yield* rawPeer(port, yield* RouteCarrier.pathOf("relay"))
      peer.write(masked("hello"))
      const [, seconds] = yield* advanceUntil(Deferred.await((yield* RouteCarrier.Accepted).ended))
      assert.isAtLeast(seconds, 40)
    }).pipe(Effect.provide(layer)))

  it.live("break when the peer does not read what it is sent", () =>
    Effect.gen(function*() {
      const { port } = yield* Client.serve(yield* NodeHandler)
      const peer = yield* rawPeer(port, yield* RouteCarrier.pathOf("relay"))
      peer.pause()
      peer.write(masked("flood"))
      yield* Deferred.await((yield* RouteCarrier.Accepted).ended)
    }).pipe(Effect.provide(layer)), 120_000)

  it.live("close with the engine, after their handler has ended, and none opens then", () =>
    Effect.gen(function*() {
      const { closed, next, socket } = yield* connected
      socket.send("here")
      yield* next
      const { closeSockets } = yield* CarrierRoutes.CarrierRoutes
      yield* closeSockets
      assert.isTrue(yield* Deferred.isDone((yield* RouteCarrier.Accepted).ended))
      assert.strictEqual(yield* closed, 1001)
      const url = (yield* origin) + (yield* RouteCarrier.pathOf("relay"))
      assert.strictEqual(yield* Effect.flip(Client.open(url)), "refused")
    }).pipe(Effect.provide(layer)))

  it.live("below a base path leave the other sockets of a server alone", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const handler = Context.get(
        yield* Layer.buildWithScope(NodeHandler.layerAt({ basePath: "/api" }), scope),
        NodeHandler
      )
      const { port, server } = yield* Client.serve(handler)
      const upgrades: Array<string | undefined> = []
      server.on("upgrade", ({ url }, socket) => {
        upgrades.push(url)
        if (url?.startsWith("/api/carriers/") !== true) socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
      })
      const base = `http://127.0.0.1:${port}`
      const path = yield* RouteCarrier.pathOf("relay")
      const { next, socket } = yield* Client.open(`${base}/api${path}`)
      socket.send("hello")
      assert.strictEqual(yield* next, "hello")
      assert.strictEqual(yield* Effect.flip(Client.open(base + path)), "refused")
      assert.strictEqual(upgrades.length, 2)
      yield* Scope.close(scope, Exit.void)
    }).pipe(Effect.provide(layer)))
})

/** Moves the clock second by second, while the sockets exchange what they have to, until this is done; and how many it took. */
const advanceUntil = Effect.fnUntraced(function*<A>(awaited: Effect.Effect<A>) {
  const fiber = yield* Effect.forkChild(awaited)
  let seconds = 0
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.withLive(Effect.sleep("20 millis"))
    yield* TestClock.adjust("1 second")
    seconds++
  }
  return [yield* Fiber.join(fiber), seconds] as const
})

/** The whole answer to these bytes. */
const exchange = (port: number, bytes: string) =>
  Effect.callback<string>((resume) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.setEncoding("utf8").on("data", (text: string) => answer += text)
    socket.on("close", () => resume(Effect.succeed(answer)))
  })

/** A connection after the handshake, whose bytes the test writes. */
const rawPeer = (port: number, path: string) =>
  Effect.callback<ReturnType<typeof connect>>((resume) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Signature: genuine\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      ))
    socket.once("data", () => resume(Effect.succeed(socket)))
    socket.on("error", () => {})
  })

/** A short text frame of a client, whose mask is zero. */
const masked = (text: string) => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
