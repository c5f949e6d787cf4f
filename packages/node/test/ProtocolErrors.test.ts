import { assert, describe, it } from "@effect/vitest"
import { ApiKeys } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Queue, Redacted } from "effect"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse
} from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { NodeHandler, ProtocolErrors } from "../src/index.ts"

interface Listening {
  readonly port: number
  readonly sockets: ReadonlyArray<Socket>
  /** Errors that its parser has reported. */
  readonly errors: Queue.Queue<Error>
}

/** A server with these errors on a free port. */
const serve = (listener: RequestListener, options: ServerOptions = {}) =>
  Effect.gen(function*() {
    const sockets: Array<Socket> = []
    const errors = yield* Queue.unbounded<Error>()
    const server = createServer({ ...options, connectionsCheckingInterval: 20 }, listener)
    ProtocolErrors.handle(server)
      .on("connection", (socket) => sockets.push(socket))
      .on("clientError", (error) => Queue.offerUnsafe(errors, error))
    yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
    )
    const listening: Listening = { port: (server.address() as AddressInfo).port, sockets, errors }
    return listening
  })

const immediate = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** A connection that is written to in steps. */
const open = ({ port, sockets }: Pick<Listening, "port" | "sockets">) =>
  Effect.acquireRelease(
    Effect.callback<Connection & { readonly destroy: () => void }>((resume) => {
      let received = ""
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(connection)))
      const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(received)))
      socket.setEncoding("utf8").on("data", (text: string) => received += text).on("error", () => {})
      const isBodyParsed = () =>
        sockets.some((one) => one.remotePort === socket.localPort && one.bytesRead >= socket.bytesWritten)
      const connection = {
        send: (bytes: string) => Effect.sync(() => void socket.write(bytes)),
        write: (bytes: string) =>
          Effect.sync(() => void socket.write(bytes)).pipe(
            Effect.andThen(Effect.repeat(immediate, { until: isBodyParsed })),
            Effect.andThen(immediate)
          ),
        closed: Effect.promise(() => closed),
        destroy: () => socket.destroy()
      }
    }),
    (connection) => Effect.sync(connection.destroy)
  )

interface Connection {
  readonly send: (bytes: string) => Effect.Effect<void>
  /** Sends, and returns when the server has read it. */
  readonly write: (bytes: string) => Effect.Effect<void>
  /** All that was received. */
  readonly closed: Effect.Effect<string>
}

/** Status and envelope of each answer; what is no JSON is left as text. */
const answersIn = (received: string) =>
  received.split(/(?=HTTP\/1\.1 \d)/).filter((part) => part !== "").map((part) => {
    const [head = "", body = ""] = part.split("\r\n\r\n")
    return { status: Number(head.split(" ")[1]), head, body }
  })

const statuses = (received: string) => answersIn(received).map(({ status }) => status)

/** Requests that the test answers itself. */
const held = Effect.gen(function*() {
  const requests = yield* Queue.unbounded<{ readonly request: IncomingMessage; readonly response: ServerResponse }>()
  const failed = yield* Queue.unbounded<Error>()
  const listener: RequestListener = (request, response) => {
    request.on("error", (error) => Queue.offerUnsafe(failed, error))
    Queue.offerUnsafe(requests, { request, response })
  }
  return { listener, next: Queue.take(requests), failed: Queue.take(failed) }
})

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
const chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
const sized = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
const garbage = "\u0001\u0002 not http\r\n\r\n"

describe("errors of the protocol", () => {
  it.live.each(
    [
      ["what is not HTTP", 400, "invalid_request", garbage],
      [
        "headers that are too large",
        431,
        "invalid_request",
        `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`
      ],
      ["an unknown method", 400, "invalid_request", "NOPE / HTTP/1.1\r\nHost: a\r\n\r\n"],
      ["headers that come too slowly", 408, "request_timeout", "GET / HTTP/1.1\r\nHost"],
      ["two lengths", 400, "invalid_request", `GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`],
      ["a length and chunks", 400, "invalid_request", chunked.replace("Host: a", "Content-Length: 5")],
      [
        "an expectation",
        417,
        "invalid_request",
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\nContent-Length: 0\r\n\r\n"
      ],
      ["a tunnel", 405, "method_not_allowed", "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n"]
    ] as const
  )("carry the envelope and an id: %s", ([, status, code, bytes]) =>
    Effect.gen(function*() {
      const server = yield* serve(() => assert.fail("no request"), { headersTimeout: 200 })
      const connection = yield* open(server)
      yield* connection.send(bytes)
      const [answer, ...rest] = answersIn(yield* connection.closed)
      assert.deepStrictEqual(rest, [])
      const { error } = JSON.parse(answer?.body ?? "")
      assert.deepStrictEqual([answer?.status, error.code, typeof error.message], [status, code, "string"])
      assert.match(error.request_id, /^req_[0-9a-z]{20}$/)
      assert.include(answer?.head, `x-request-id: ${error.request_id}`)
      assert.match(answer?.head ?? "", /connection: close/i)
    }))

  it.live.each(
    [
      ["what is not HTTP", 400, garbage],
      ["a tunnel", 405, "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n"],
      ["headers that come too slowly", 408, "GET / HTTP/1.1\r\nHost"]
    ] as const
  )("are answered after every request in flight: %s", ([, status, bytes]) =>
    Effect.gen(function*() {
      const { listener, next } = yield* held
      const server = yield* serve(listener, { headersTimeout: 100 })
      const connection = yield* open(server)
      yield* connection.write(get + get)
      const first = yield* next
      const second = yield* next
      yield* connection.write(bytes)
      if (status !== 405) yield* Queue.take(server.errors)
      second.response.writeHead(202).end()
      yield* immediate
      first.response.writeHead(201).end()
      assert.deepStrictEqual(statuses(yield* connection.closed), [201, 202, status])
    }))

  it.live("are answered after a request that was answered in the same moment", () =>
    Effect.gen(function*() {
      const large = "x".repeat(1_000_000)
      const connection = yield* open(yield* serve((_, response) => void response.writeHead(201).end(large)))
      yield* connection.send(get + garbage)
      const received = yield* connection.closed
      assert.deepStrictEqual(statuses(received), [201, 400])
      assert.include(received, large)
    }))

  it.live("are not answered behind an answer that closes the connection", () =>
    Effect.gen(function*() {
      const { listener, next } = yield* held
      const connection = yield* open(yield* serve(listener))
      yield* connection.send(get.replace("Host", "Connection: close\r\nHost") + garbage)
      const { response } = yield* next
      response.writeHead(201).end()
      assert.deepStrictEqual(statuses(yield* connection.closed), [201])
    }))

  it.live("are answered once, also if more data arrives", () =>
    Effect.gen(function*() {
      const { listener, next } = yield* held
      const connection = yield* open(yield* serve(listener))
      yield* connection.write(get)
      const { response } = yield* next
      for (let index = 0; index < 5; index++) yield* connection.write(garbage + get)
      response.writeHead(201).end()
      assert.deepStrictEqual(statuses(yield* connection.closed), [201, 400])
    }))

  it.live.each(
    [
      ["a chunk that is none", "5\r\nhello\r\nnope\r\n", {}],
      ["a body that comes too slowly", "5\r\nhel", { headersTimeout: 100, requestTimeout: 100 }]
    ] as const
  )(
    "in a body fail its reading, and the answer of its request is the only one: %s",
    ([, bytes, options]) =>
      Effect.gen(function*() {
        const { failed, listener, next } = yield* held
        const connection = yield* open(yield* serve(listener, options))
        yield* connection.write(chunked + bytes)
        const { response } = yield* next
        assert.match(String((yield* failed).name), /Error/)
        response.writeHead(422).end()
        const received = yield* connection.closed
        assert.deepStrictEqual(statuses(received), [422])
        assert.match(received, /connection: close/i)
      })
  )

  it.live("in a body that is not waited for add nothing to the answer of its request", () =>
    Effect.gen(function*() {
      const server = yield* serve((_, response) => void response.writeHead(200).end(), {
        headersTimeout: 100,
        requestTimeout: 100
      })
      const broken = yield* open(server)
      yield* broken.write(chunked)
      yield* broken.send("nope\r\n")
      assert.deepStrictEqual(statuses(yield* broken.closed), [200])
      const slow = yield* open(server)
      yield* slow.send(`${sized}12`)
      assert.deepStrictEqual(statuses(yield* slow.closed), [200])
    }))

  it.live("are answered after a request that waits for its body to be asked for", () =>
    Effect.gen(function*() {
      const { listener, next } = yield* held
      const connection = yield* open(yield* serve(listener))
      yield* connection.write(sized.replace("Host", "Expect: 100-continue\r\nHost") + "0123456789" + garbage)
      const { response } = yield* next
      response.writeHead(201).end()
      assert.deepStrictEqual(statuses(yield* connection.closed), [100, 201, 400])
    }))

  it.live("leave a listener of the host's its requests", () =>
    Effect.gen(function*() {
      const server = createServer()
      ProtocolErrors.handle(server)
        .on("connect", (_request, socket) => socket.end("tunnel"))
        .on("checkExpectation", (_request, response: ServerResponse) => void response.writeHead(299).end())
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => void server.close()))
      const listening = { port: (server.address() as AddressInfo).port, sockets: [] }
      const tunnel = yield* open(listening)
      yield* tunnel.send("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n")
      assert.strictEqual(yield* tunnel.closed, "tunnel")
      const expectation = yield* open(listening)
      yield* expectation.send("GET / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\nConnection: close\r\n\r\n")
      assert.deepStrictEqual(statuses(yield* expectation.closed), [299])
    }))
})

describe("the interface behind them", () => {
  const layer = NodeHandler.layer.pipe(Layer.provideMerge(TestEngine.layer()))

  it.live("answers a started call with 201, also if invalid data follows on the connection", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const keys = yield* ApiKeys.ApiKeys
      const { secret } = yield* keys.create(accountId, { name: "test", scopes: ["calls:write"] })
      const server = yield* serve(yield* NodeHandler)
      const request = (index: number) => {
        const body = JSON.stringify({
          agent_id: agentId,
          phone_number: `+1415555${1000 + index}`,
          variables: { topic: "x" }
        })
        return `POST /v1/calls HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${
          Redacted.value(secret)
        }\r\nContent-Type: application/json\r\n`
          + `Content-Length: ${body.length}\r\n\r\n${body}`
      }
      for (let index = 0; index < 20; index++) {
        const connection = yield* open(server)
        // In one packet and in two.
        yield* connection.send(index % 2 === 0 ? request(index) + garbage : request(index))
        if (index % 2 === 1) yield* connection.send(garbage)
        assert.deepStrictEqual(statuses(yield* connection.closed), [201, 400])
      }
    }).pipe(Effect.provide(layer)))

  it.live("places no call by a body that breaks off, and says so", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const keys = yield* ApiKeys.ApiKeys
      const { secret } = yield* keys.create(accountId, { name: "test", scopes: ["calls:write"] })
      const server = yield* serve(yield* NodeHandler)
      const body = JSON.stringify({ agent_id: agentId, phone_number: "+14155550100", variables: { topic: "x" } })
      const connection = yield* open(server)
      yield* connection.send(
        `${chunked.replace("POST /", "POST /v1/calls").replace("Host", `X-Api-Key: ${Redacted.value(secret)}\r\nHost`)}`
          + `${body.length.toString(16)}\r\n${body}\r\nnope\r\n`
      )
      const [answer, ...rest] = answersIn(yield* connection.closed)
      assert.deepStrictEqual([answer?.status, rest], [400, []])
      assert.strictEqual(JSON.parse(answer?.body ?? "").error.code, "invalid_json")
    }).pipe(Effect.provide(layer)))
})
