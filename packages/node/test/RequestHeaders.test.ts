import { assert, describe, it } from "@effect/vitest"
import { ApiKeys } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Redacted } from "effect"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { NodeHandler, ProtocolErrors } from "../src/index.ts"

const layer = NodeHandler.layer.pipe(Layer.provideMerge(TestEngine.layer()))

/** Sends these lines as a request, and answers with the one that comes back. */
const send = (port: number, lines: ReadonlyArray<string>, body = "") =>
  Effect.callback<{ readonly status: number; readonly head: string; readonly body: string }>((resume) => {
    let received = ""
    const socket = connect(port, "127.0.0.1", () => socket.write([...lines, "", body].join("\r\n")))
    socket.setEncoding("utf8").on("data", (text: string) => received += text)
    socket.on("close", () => {
      const [head = "", body = ""] = received.split("\r\n\r\n")
      resume(Effect.succeed({ status: Number(head.split(" ")[1]), head, body }))
    })
    return Effect.sync(() => socket.destroy())
  })

const setUp = Effect.gen(function*() {
  const handler = yield* NodeHandler
  const { accountId, agentId } = yield* TestEngine.Tenant
  const keys = yield* ApiKeys.ApiKeys
  const { secret } = yield* keys.create(accountId, { name: "test", scopes: ["calls:write", "calls:read"] })
  const server = ProtocolErrors.handle(createServer({ requireHostHeader: false }, handler))
  yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close().closeAllConnections()))
  return {
    port: (server.address() as AddressInfo).port,
    key: Redacted.value(secret),
    body: JSON.stringify({ agent_id: agentId, phone_number: "+14155550100", variables: { topic: "x" } })
  }
})

const last = "Connection: close"

describe("headers as Node receives them", () => {
  it.live("are refused when one that may be sent once is sent twice, and no call is placed", () =>
    Effect.gen(function*() {
      const { body, key, port } = yield* setUp
      const whole = [
        "POST /v1/calls HTTP/1.1",
        "Host: a",
        `X-Api-Key: ${key}`,
        "Content-Type: application/json",
        "Idempotency-Key: one",
        `Content-Length: ${body.length}`,
        last
      ]
      const twice = ["Host: b", "Content-Type: application/json", "Idempotency-Key: two", "idempotency-key: one"]
      for (const line of twice) {
        const name = line.slice(0, line.indexOf(":")).toLowerCase()
        const answer = yield* send(port, [...whole, line], body)
        assert.strictEqual(answer.status, 400, line)
        const { error } = JSON.parse(answer.body)
        assert.deepStrictEqual([error.code, error.param, error.location], ["invalid_request", `/${name}`, "header"])
        assert.include(answer.head, error.request_id)
      }
      assert.strictEqual((yield* send(port, whole, body)).status, 201)
    }).pipe(Effect.provide(layer)))

  it.live("reject two credentials, even if they are the same", () =>
    Effect.gen(function*() {
      const { key, port } = yield* setUp
      const bearer = `Authorization: Bearer ${key}`
      const status = (...lines: ReadonlyArray<string>) =>
        Effect.map(send(port, ["GET /v1/agents HTTP/1.1", "Host: a", last, ...lines]), (answer) => {
          assert.include(answer.head, "x-request-id")
          return answer.status
        })
      assert.strictEqual(yield* status(bearer), 200)
      assert.strictEqual(yield* status(bearer, `X-Api-Key: ${key}`), 200)
      for (const other of [bearer, "Authorization: Bearer nope", "authorization: Basic eDp5"]) {
        assert.strictEqual(yield* status(bearer, other), 401, other)
        assert.strictEqual(yield* status(other, bearer), 401, other)
      }
      assert.strictEqual(yield* status(`X-Api-Key: ${key}`, `X-Api-Key: ${key}`), 401)
    }).pipe(Effect.provide(layer)))

  it.live("are refused without a host, unless the HTTP version needs none", () =>
    Effect.gen(function*() {
      const { port } = yield* setUp
      const missing = yield* send(port, ["GET /healthz HTTP/1.1", last])
      assert.strictEqual(missing.status, 400)
      assert.strictEqual(JSON.parse(missing.body).error.param, "/host")
      assert.strictEqual((yield* send(port, ["GET /healthz HTTP/1.0", last])).status, 200)
      assert.strictEqual((yield* send(port, ["GET /healthz HTTP/1.1", "Host:", last])).status, 200)
    }).pipe(Effect.provide(layer)))

  it.live("are refused with a coding of the body that is not decoded", () =>
    Effect.gen(function*() {
      const { body, key, port } = yield* setUp
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      const status = (coding: string) =>
        Effect.map(
          send(
            port,
            ["POST /v1/calls HTTP/1.1", "Host: a", `X-Api-Key: ${key}`, `Transfer-Encoding: ${coding}`, last],
            chunks
          ),
          ({ body, status }) => [status, JSON.parse(body).error?.param]
        )
      assert.deepStrictEqual(yield* status("gzip, chunked"), [400, "/transfer-encoding"])
      assert.strictEqual((yield* status("chunked\r\nTransfer-Encoding: chunked"))[0], 400)
      assert.deepStrictEqual(yield* status("chunked"), [201, undefined])
    }).pipe(Effect.provide(layer)))

  it.live("get 405 with Allow for every method that the parser knows and the path does not", () =>
    Effect.gen(function*() {
      const { port } = yield* setUp
      for (const method of ["TRACE", "PROPFIND", "PURGE", "M-SEARCH", "QUERY"]) {
        const answer = yield* send(port, [`${method} /v1/calls HTTP/1.1`, "Host: a", last])
        assert.strictEqual(answer.status, 405, method)
        assert.match(answer.head, /allow: POST, GET, HEAD/i)
        assert.strictEqual(JSON.parse(answer.body).error.code, "method_not_allowed")
        assert.strictEqual((yield* send(port, [`${method} /nope HTTP/1.1`, "Host: a", last])).status, 404, method)
      }
    }).pipe(Effect.provide(layer)))
})
