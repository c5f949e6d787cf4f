/** The console in applications with their own users, in real frameworks and below other paths. */
import { assert, it } from "@effect/vitest"
import { Console } from "@outdial/console"
import type { Engine } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import express from "express"
import fastify from "fastify"
import type { IncomingMessage } from "node:http"
import { describe } from "vitest"
import * as Express from "../../examples/express/console.ts"
import * as HttpTargets from "../support/HttpTargets.ts"

const users: Readonly<Record<string, { readonly name: string; readonly isAdmin: boolean }>> = {
  grace: { name: "Grace", isAdmin: true },
  ada: { name: "Ada", isAdmin: false }
}

/** The user that the cookie of the application names. */
const userOf = ({ headers }: IncomingMessage) => users[/\buser=(\w+)/.exec(headers.cookie ?? "")?.[1] ?? ""]

const engine = Effect.map(Effect.context<Engine.Services>(), (services) => ({ services }))

const expressApp = Effect.gen(function*() {
  const options = { basePath: "/admin/calls", authenticate: Express.authenticate(userOf) }
  const handler = yield* Effect.flatMap(
    engine,
    (engine) => Effect.promise(() => Console.node<express.Request>(engine, options))
  )
  return yield* HttpTargets.listen(Express.makeApp(handler), options.basePath)
})

/** Behind a body parser, which has read the body when the console gets the request. */
const parsingApp = Effect.gen(function*() {
  const options = { basePath: "/calls", authenticate: Express.authenticate(userOf) }
  const handler = yield* Effect.flatMap(
    engine,
    (engine) => Effect.promise(() => Console.node<express.Request>(engine, options))
  )
  const app = express()
  app.use(express.json())
  app.use(options.basePath, handler)
  return yield* HttpTargets.listen(app, options.basePath)
})

const fastifyApp = Effect.gen(function*() {
  const basePath = "/team/console"
  const authenticate = (request: IncomingMessage) => {
    const user = userOf(request)
    return user === undefined
      ? undefined
      : { name: user.name, role: user.isAdmin ? "admin" as const : "viewer" as const }
  }
  const handler = yield* Effect.flatMap(
    engine,
    (engine) => Effect.promise(() => Console.node(engine, { basePath, authenticate }))
  )
  const app = fastify()
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.url.startsWith(basePath)) return done()
    reply.hijack()
    handler(request.raw, reply.raw)
  })
  yield* Effect.addFinalizer(() => Effect.promise(() => app.close()))
  const address = yield* Effect.promise(() => app.listen())
  return { fetch, baseUrl: address + basePath }
})

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

describe("the console in an application", () => {
  for (
    const [name, app] of Object.entries({ "Express": expressApp, "Express, parsed": parsingApp, "Fastify": fastifyApp })
  ) {
    it.effect(`knows the users of ${name}, whose requests it gets whole`, () =>
      Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const { baseUrl } = yield* app
        const ask = (path: string, user: string, init: Sent = {}) =>
          Effect.promise(async () => {
            const headers = { cookie: `user=${user}`, ...init.headers }
            const response = await fetch(`${baseUrl}${path}`, { redirect: "manual", ...init, headers })
            return { status: response.status, headers: response.headers, text: await response.text() }
          })
        const change = (lines: number) => ({
          method: "PATCH",
          headers: { "outdial-console": "1", "content-type": "application/json" },
          body: JSON.stringify({ lines })
        })
        const { pathname } = new URL(baseUrl)
        const redirected = yield* ask("", "nobody")
        assert.deepStrictEqual([redirected.status, redirected.headers.get("location")], [308, `${pathname}/`])
        assert.strictEqual((yield* ask("/api/session", "nobody")).status, 401)
        assert.deepInclude(JSON.parse((yield* ask("/api/session", "ada")).text), {
          name: "Ada",
          role: "viewer",
          expires_at: null
        })
        const path = `/api/accounts/${accountId}`
        assert.strictEqual((yield* ask(path, "ada", change(7))).status, 403)
        const changed = yield* ask(path, "grace", change(7))
        assert.deepStrictEqual([changed.status, JSON.parse(changed.text).lines], [200, 7])
        assert.strictEqual((yield* ask(`${path}/v1/calls?limit=1`, "ada")).status, 200)
        const log = JSON.parse((yield* ask("/api/audit", "grace")).text)
        assert.deepStrictEqual(log.data.map(({ actor, status }: Record<string, unknown>) => [actor, status]), [
          ["Grace", 200],
          ["Ada", 403]
        ])
      }).pipe(Effect.provide(TestEngine.layer())))
  }
})
