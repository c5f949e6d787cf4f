/** An engine in memory behind the console's real handler, and a browser's part: cookies, and the header that its page sends. */
import { ConsoleAccess, type ConsoleSession, type Engine } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"
import { Console } from "../src/index.ts"

export class Handler extends Context.Service<Handler, (request: Request) => Promise<Response>>()("test/Handler") {}

export type Options = Parameters<typeof Console.effect<Request>>[0]

/** The handler with these options over the engine of the context. */
export const handler = (options: Options = {}): Layer.Layer<Handler, never, Engine.Services> =>
  Layer.effect(
    Handler,
    Effect.gen(function*() {
      const httpEffect = yield* Effect.orDie(Console.effect(options))
      const context = yield* Effect.context<never>()
      return HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)(httpEffect)
    })
  )

export const layer = (options: Options = {}, engine: TestEngine.TestEngineOptions = {}) =>
  handler(options).pipe(Layer.provideMerge(TestEngine.layer(engine)))

export interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly cookie?: string | undefined
  /** Replaces the headers that the page sends. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape; the assertions judge it
  readonly body: any
}

/** Sends one request as the page does. The path is below the console's API unless it begins with a slash. */
export const send = Effect.fnUntraced(function*(path: string, { body, cookie, method, headers }: Sent = {}) {
  const handle = yield* Handler
  const request = new Request(
    `https://outdial.test${path.startsWith("/") ? path : `/console/api/${path}`}`,
    {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(headers ?? { "outdial-console": "1", origin: "https://outdial.test", "sec-fetch-site": "same-origin" }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(cookie !== undefined && { cookie })
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    }
  )
  return yield* Effect.promise(async (): Promise<Received> => {
    const response = await handle(request)
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  })
})

/** Opens a stream of events; `read` takes what comes next, and returns nothing at its end. */
export const openStream = Effect.fnUntraced(function*(path: string, { cookie, headers = {} }: Sent = {}) {
  const handle = yield* Handler
  const request = new Request(`https://outdial.test/console/api/${path}`, {
    headers: { ...headers, ...(cookie !== undefined && { cookie }) }
  })
  const response = yield* Effect.promise(() => handle(request))
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const read = Effect.promise(async () => {
    const chunk = await reader?.read()
    return chunk === undefined || chunk.done ? undefined : decoder.decode(chunk.value)
  })
  yield* Effect.addFinalizer(() => Effect.promise(async () => reader?.cancel()))
  return { status: response.status, read }
})

/** The status and, of an error, the code. */
export const outcome = ({ body, status }: Received): string =>
  body?.error === undefined ? String(status) : `${status} ${body.error.code}`

/** The token of a fresh link. */
export const link = Effect.fnUntraced(function*(more: Partial<ConsoleSession.NewLink> = {}) {
  const access = yield* ConsoleAccess.ConsoleAccess
  const { token } = yield* access.createLink({ role: "admin", name: "Grace", ...more })
  return Redacted.value(token)
})

/** The cookie that a response sets. */
export const cookieOf = ({ headers }: Received): string => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? ""

/** The cookie of a fresh session. */
export const login = Effect.fnUntraced(function*(more: Partial<ConsoleSession.NewLink> = {}) {
  return cookieOf(yield* send("session", { body: { token: yield* link(more) } }))
})
