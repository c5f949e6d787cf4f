/** The console's API over an engine in memory, for users whose role and account are in the headers of the request. */
import { AgentPorts, ConsoleRole, Ids } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody } from "@outdial/http"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { HttpEffect, HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../../src/api/ConsoleApi.ts"
import * as ConsoleHandlers from "../../src/api/ConsoleHandlers.ts"
import { ConsoleAuthorization, CurrentConsoleUser } from "../../src/access/CurrentConsoleUser.ts"
import { Roles } from "../../src/access/Roles.ts"

const isRole = Schema.is(ConsoleRole.Role)
const isAccountId = Schema.is(Ids.AccountId)

const authorization = Layer.succeed(
  ConsoleAuthorization,
  (httpEffect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const { "x-account": account, "x-role": role, "x-session": sessionId } = headers
      if (!isRole(role)) return ApiErrors.respond(ApiErrors.crossOrigin)
      return Effect.provideService(httpEffect, CurrentConsoleUser, {
        role,
        name: "Ada",
        sessionId,
        accountId: isAccountId(account) ? account : undefined
      })
    })
)

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(ConsoleApi),
  Middleware.methodNotAllowed(ConsoleApi),
  Middleware.edge
).pipe(
  Layer.provide(ConsoleHandlers.layer),
  Layer.provide([
    authorization,
    Middleware.ErrorEnvelope.layer,
    RequestBody.NoBody.layer,
    RequestBody.RequestBody.layer,
    Roles.layer
  ]),
  Layer.provide(HttpServer.layerServices)
)

export class Handler extends Context.Service<Handler, (request: Request) => Promise<Response>>()("test/Handler") {}

const handler = Layer.effect(
  Handler,
  Effect.gen(function*() {
    const httpEffect = yield* HttpRouter.toHttpEffect(routes)
    const context = yield* Effect.context<never>()
    return HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)(httpEffect)
  })
)

/** `ports`: what agents talk with. */
export const layer = (options: TestEngine.TestEngineOptions = {}, ports?: AgentPorts.AgentPorts) =>
  handler.pipe(
    Layer.provide(ports === undefined ? Layer.empty : Layer.succeed(AgentPorts.AgentPorts, ports)),
    Layer.provideMerge(TestEngine.layer(options))
  )

export interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly role?: ConsoleRole.Role
  /** The only account of the user. */
  readonly onlyAccount?: string
  readonly headers?: Record<string, string>
}

export interface Received {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape; the assertions judge it
  readonly body: Record<string, any>
}

/** The response to a request, by default of an admin. */
export const respond = Effect.fnUntraced(
  function*(path: string, { body, headers = {}, method, onlyAccount, role = "admin" }: Sent = {}) {
    const handle = yield* Handler
    const request = new Request(`https://console.test${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        "x-role": role,
        ...(onlyAccount !== undefined && { "x-account": onlyAccount }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return yield* Effect.promise(() => handle(request))
  }
)

export const send = Effect.fnUntraced(function*(path: string, sent: Sent = {}): Effect.fn.Return<
  Received,
  never,
  Handler
> {
  const response = yield* respond(path, sent)
  const text = yield* Effect.promise(() => response.text())
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) }
})

/** The same, for a path in the account of the test. */
export const inAccount = Effect.fnUntraced(function*(path: string, sent: Sent = {}) {
  const { accountId } = yield* TestEngine.Tenant
  return yield* send(`/accounts/${accountId}${path}`, sent)
})

/** The problems of a refused request, as pointers. */
export const problems = ({ body }: Received): ReadonlyArray<string> =>
  body["error"]["errors"].map(({ param }: { readonly param: string }) => param)
