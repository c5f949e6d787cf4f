/** Callbacks and WebSockets of a carrier behind the frameworks of the guide to mounting, over real connections. */
import { assert, describe, it } from "@effect/vitest"
import { WebHandler } from "@outdial/http"
import { NodeHandler } from "@outdial/node"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect, Layer } from "effect"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as Express from "../../examples/express/app.ts"
import * as Fastify from "../../examples/fastify/app.ts"
import * as Hono from "../../examples/hono/app.ts"
import * as Client from "../../packages/node/test/carrier/Client.ts"
import * as RouteCarrier from "../../packages/node/test/carrier/RouteCarrier.ts"

const basePath = "/api"

const layer = Layer.merge(NodeHandler.layerAt({ basePath }), WebHandler.layerAt({ basePath })).pipe(
  Layer.provideMerge(
    TestEngine.layer({ telephony: RouteCarrier.layer.pipe(Layer.provide(RouteCarrier.Accepted.layer)) })
  ),
  Layer.provideMerge(RouteCarrier.Accepted.layer)
)

/** What a Node server of a web-standard application does, such as that of Hono. */
const listenerOf =
  (fetch: (request: Request) => Response | Promise<Response>): RequestListener => (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      const headers = new Headers()
      for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
      const body = request.method === "POST" ? { body: Buffer.concat(chunks) } : {}
      const answer = await fetch(
        new Request(`http://host${request.url}`, { method: request.method ?? "", headers, ...body })
      )
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()))
    })
  }

const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const portOf = (server: { readonly address: () => unknown }) => (server.address() as AddressInfo).port

/** The port of a server with the application of the guide, and its line for WebSockets. */
const servers = {
  "Express 5": Effect.gen(function*() {
    const handler = yield* NodeHandler
    return portOf((yield* listening(Express.makeApp(handler))).on("upgrade", handler.upgrade))
  }),
  "Fastify 5": Effect.gen(function*() {
    const handler = yield* NodeHandler
    const app = Fastify.makeApp(handler)
    yield* Effect.addFinalizer(() => Effect.promise(() => app.close()))
    app.server.on("upgrade", handler.upgrade)
    yield* Effect.promise(() => app.listen({ port: 0, host: "127.0.0.1" }))
    return portOf(app.server)
  }),
  "Hono 4": Effect.gen(function*() {
    const app = Hono.makeApp(yield* WebHandler)
    const server = yield* listening(listenerOf((request) => app.fetch(request)))
    return portOf(server.on("upgrade", (yield* NodeHandler).upgrade))
  })
}

describe("Routes of a carrier", () => {
  for (const [name, serve] of Object.entries(servers)) {
    it.live(`are served by ${name}: callbacks with their bytes, and WebSockets`, () =>
      Effect.gen(function*() {
        const base = `http://127.0.0.1:${yield* serve}${basePath}`
        const status = yield* RouteCarrier.pathOf("status")
        const post = (headers: Record<string, string>) =>
          Effect.map(
            Client.request(base + status, { method: "POST", body: "{\"b\": 1,  \"a\": 2}", headers }),
            ({ status }) => status
          )
        const form = { "content-type": "application/x-www-form-urlencoded" }
        assert.strictEqual(yield* post({ ...Client.signed, "content-type": "application/json" }), 204)
        assert.strictEqual(yield* post({ ...Client.signed, ...form }), 204)
        assert.strictEqual(yield* post({ "content-type": "application/json" }), 403)
        const { callbacks } = yield* RouteCarrier.Accepted
        assert.deepStrictEqual(callbacks, Array(2).fill({ url: status, body: "{\"b\": 1,  \"a\": 2}" }))
        const { next, socket } = yield* Client.open(base + (yield* RouteCarrier.pathOf("relay")))
        socket.send("hello")
        assert.strictEqual(yield* next, "hello")
        assert.strictEqual(yield* Effect.flip(Client.open(`${base}/carriers/exemplary/relay/x`)), "refused")
      }).pipe(Effect.provide(layer)))
  }

  it.live("need Node for WebSockets, and say so", () =>
    Effect.gen(function*() {
      const handler = Context.get(yield* Effect.context<WebHandler>(), WebHandler)
      const url = `https://host${basePath}${yield* RouteCarrier.pathOf("relay")}`
      const headers = { ...Client.signed, upgrade: "websocket", connection: "upgrade" }
      const response = yield* Effect.promise(() => handler(new Request(url, { headers })))
      assert.strictEqual(response.status, 426)
      assert.include(yield* Effect.promise(() => response.text()), "NodeHandler")
    }).pipe(Effect.provide(layer)))
})
