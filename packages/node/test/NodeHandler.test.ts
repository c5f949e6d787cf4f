import { createServer, type IncomingMessage, request as httpRequest, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { ApiKeys } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { NodeHandler } from "../src/index.ts"

const layer = NodeHandler.layer.pipe(Layer.provideMerge(TestEngine.layer()))

const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          port: (server.address() as AddressInfo).port,
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        })))
    }),
    (server) => Effect.sync(server.close)
  )

const setUp = Effect.gen(function*() {
  const handler = yield* NodeHandler
  const { accountId, agentId } = yield* TestEngine.Tenant
  const keys = yield* ApiKeys.ApiKeys
  const { secret } = yield* keys.create(accountId, { name: "test", scopes: ["calls:write", "calls:read"] })
  return {
    handler,
    key: Redacted.value(secret),
    call: { agent_id: agentId, phone_number: "+14155550100", variables: { topic: "x" } }
  }
})

const post = (url: string, key: string, body: unknown) =>
  Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
      .then(async (response) => ({
        status: response.status,
        id: response.headers.get("x-request-id"),
        body: await response.json() as { status?: string }
      }))
  )

/** Sends these bytes and answers with all that comes back until the connection ends, or goes quiet. */
const raw = (port: number, text: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    let received = ""
    socket.on("data", (chunk) => (received += chunk))
    socket.on("close", () => resume(Effect.succeed(received)))
    socket.on("error", () => {})
    socket.setTimeout(500, () => socket.destroy())
  })

describe("NodeHandler", () => {
  it.live("serves the interface under node:http", () =>
    Effect.gen(function*() {
      const { call, handler, key } = yield* setUp
      const { port } = yield* serve(handler)
      const answer = yield* post(`http://127.0.0.1:${port}/v1/calls`, key, call)
      assert.deepStrictEqual([answer.status, answer.body.status], [201, "queued"])
      assert.match(answer.id ?? "", /^req_[0-9a-z]{20}$/)
    }).pipe(Effect.provide(layer)))

  it.live("serves the interface under a mount path that the framework cuts off", () =>
    Effect.gen(function*() {
      const { call, handler, key } = yield* setUp
      const { port } = yield* serve((request, response) => {
        const whole = request.url ?? ""
        handler(Object.assign(request, { originalUrl: whole, url: whole.slice("/v1".length) }), response)
      })
      assert.strictEqual((yield* post(`http://127.0.0.1:${port}/v1/calls`, key, call)).status, 201)
    }).pipe(Effect.provide(layer)))

  it.live("accepts a body that a parser has read", () =>
    Effect.gen(function*() {
      const { call, handler, key } = yield* setUp
      const { port } = yield* serve((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () =>
          setImmediate(() =>
            handler(Object.assign(request, { body: JSON.parse(Buffer.concat(chunks).toString()) }), response)
          ))
      })
      const url = `http://127.0.0.1:${port}/v1/calls`
      const statuses = yield* Effect.forEach([call, call, {}], (body) =>
        Effect.map(post(url, key, body), (_) =>
          _.status))
      assert.deepStrictEqual(statuses, [201, 409, 400])
    }).pipe(Effect.provide(layer)))

  it.live("changes nothing for a page of another origin where a host lets its users in", () =>
    Effect.gen(function*() {
      const { call } = yield* setUp
      const { accountId } = yield* TestEngine.Tenant
      const authenticate = ({ headers }: IncomingMessage) => headers.cookie === "user=grace" ? { accountId } : undefined
      const handler = Context.get(yield* Layer.build(NodeHandler.layerAt({ authenticate })), NodeHandler)
      const { port } = yield* serve(handler)
      const own = `http://127.0.0.1:${port}`
      const ask = (headers: Record<string, string>) =>
        Effect.callback<number | undefined>((resume) => {
          const request = httpRequest(`${own}/v1/calls`, {
            method: "POST",
            headers: { cookie: "user=grace", "content-type": "application/json", ...headers }
          }, (response) => {
            response.resume()
            resume(Effect.succeed(response.statusCode))
          })
          request.end(JSON.stringify(call))
        })
      assert.strictEqual(yield* ask({ origin: "https://evil.example" }), 403)
      assert.strictEqual(yield* ask({ origin: own, "sec-fetch-site": "cross-site" }), 403)
      assert.strictEqual(yield* ask({ origin: own }), 201)
      assert.strictEqual(yield* ask({}), 409, "the call waits already")
    }).pipe(Effect.provide(layer)))

  it.live("asks the host with its own request, also when a parser has read the body before", () =>
    Effect.gen(function*() {
      const { call } = yield* setUp
      const { accountId } = yield* TestEngine.Tenant
      const authenticate = (request: IncomingMessage & { user?: string }) =>
        request.user === "grace" ? { accountId } : undefined
      const handler = Context.get(yield* Layer.build(NodeHandler.layerAt({ authenticate })), NodeHandler)
      const { port } = yield* serve((request, response) => {
        const user = request.headers["x-user"]
        if (request.headers["x-parse"] === undefined) return handler(Object.assign(request, { user }), response)
        request.resume()
        request.on("end", () => setImmediate(() => handler(Object.assign(request, { user, body: call }), response)))
      })
      const ask = (headers: Record<string, string>) =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${port}/v1/calls`, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify(call)
          })
          return response.status
        })
      assert.strictEqual(yield* ask({ "x-user": "grace", "x-parse": "1" }), 201)
      assert.strictEqual(yield* ask({ "x-user": "grace" }), 409)
      assert.strictEqual(yield* ask({ "x-user": "mallory" }), 401)
      assert.strictEqual(yield* ask({ "x-parse": "1" }), 401)
    }).pipe(Effect.provide(layer)))

  it.live("refuses a body that is too large, declared or not, and closes the connection", () =>
    Effect.gen(function*() {
      const { handler, key } = yield* setUp
      const { port } = yield* serve(handler)
      const head = `POST /v1/calls HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`
      const declared = yield* raw(port, `${head}content-length: 9999999\r\n\r\n{`)
      const chunked = yield* raw(
        port,
        `${head}transfer-encoding: chunked\r\n\r\n${`10000\r\n${" ".repeat(65_536)}\r\n`.repeat(6)}`
      )
      for (const answer of [declared, chunked]) {
        assert.match(answer, /^HTTP\/1\.1 413 /)
        assert.match(answer, /connection: close/i)
        assert.match(answer, /"code":"payload_too_large".*"max_bytes":262144/)
      }
    }).pipe(Effect.provide(layer)))

  it.live.each([
    "GET * HTTP/1.1",
    "GET //evil.test/v1/calls HTTP/1.1",
    "GET http://evil.test/v1/nope HTTP/1.1",
    "PROPFIND /v1/calls HTTP/1.1",
    "GET /%00 HTTP/1.1",
    "GET /v1/calls/%ff HTTP/1.1"
  ])(
    "answers %s in the envelope",
    (line) =>
      Effect.gen(function*() {
        const { handler } = yield* setUp
        const { port } = yield* serve(handler)
        const answer = yield* raw(port, `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`)
        assert.match(answer, /^HTTP\/1\.1 4\d\d /)
        assert.match(answer, /x-request-id: req_/)
        assert.match(answer, /"error":\{"code":"/)
      }).pipe(Effect.provide(layer))
  )

  it.effect("gives up on a body that does not arrive, and says so", () =>
    Effect.gen(function*() {
      const { handler, key } = yield* setUp
      const { port } = yield* serve(handler)
      const head = `POST /v1/calls HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`
      const fiber = yield* Effect.forkChild(raw(port, `${head}content-length: 100\r\n\r\n{`))
      yield* TestClock.withLive(Effect.sleep("100 millis"))
      yield* TestClock.adjust("30 seconds")
      const answer = yield* Fiber.join(fiber)
      assert.match(answer, /^HTTP\/1\.1 408 /)
      assert.match(answer, /"code":"request_timeout"/)
    }).pipe(Effect.provide(layer)))

  it.live("answers HEAD without a body", () =>
    Effect.gen(function*() {
      const { handler } = yield* setUp
      const { port } = yield* serve(handler)
      const status = yield* Effect.callback<number | undefined>((resume) => {
        httpRequest({ port, path: "/healthz", method: "HEAD" }, (response) => {
          response.resume()
          resume(Effect.succeed(response.statusCode))
        }).end()
      })
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(layer)))
})
