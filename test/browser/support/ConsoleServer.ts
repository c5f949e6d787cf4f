/** An engine in memory with simulated phones, and the console on a server: what the page changes can be read in the engine. */
import { assert } from "@effect/vitest"
import { Console } from "@outdial/console"
import { ConsoleAccess, type ConsoleSession, Outdial } from "@outdial/core"
import { NodeHandler } from "@outdial/node"
import { Effect, Redacted } from "effect"
import { createServer } from "node:http"
import type { Page } from "playwright-core"
import * as FreePort from "../../telephony/fake/FreePort.ts"
import * as Browser from "./Browser.ts"

export const agent = {
  name: "Ada",
  script: "Hello {{contact.name}}, this is Ada about your visit on {{day}}.",
  questions: ["Will you come on Tuesday?"],
  dispositions: ["confirmed", "declined"],
  voicemailMessage: "Please call us back."
}

export interface ConsoleServer {
  readonly engine: Outdial.Outdial
  readonly url: string
  readonly accountId: string
  readonly agentId: string
  /** Cuts all connections and refuses new ones, as a process that was killed. */
  readonly kill: Effect.Effect<void>
  /** Listens again, at the same address. */
  readonly restart: Effect.Effect<void>
}

/** Opens both until the end of the test. Default speed of the simulated phones: 50 times faster than life. */
export const open = Effect.fnUntraced(function*(options: Outdial.Options = {}) {
  const engine = yield* Effect.acquireRelease(
    Effect.promise(() => Outdial.open({ agents: [agent], policy: { callingHours: null }, speed: 50, ...options })),
    (engine) => Effect.promise(() => engine.close())
  )
  const api = yield* Effect.promise(() => NodeHandler.over(engine))
  const page = yield* Effect.promise(() => Console.node(engine))
  const listener = createServer((request, response) =>
    request.url?.startsWith("/console") === true ? page(request, response) : api(request, response)
  )
  const port = yield* FreePort.listen(listener)
  const [account] = yield* Effect.promise(() => engine.accounts.list())
  const [ada] = yield* Effect.promise(() => engine.agents.list())
  const server: ConsoleServer = {
    engine,
    url: `http://127.0.0.1:${port}`,
    accountId: account?.id ?? "",
    agentId: ada?.id ?? "",
    kill: Effect.callback<void>((resume) => {
      listener.close(() => resume(Effect.void))
      listener.closeAllConnections()
    }),
    restart: Effect.callback<void>((resume) => {
      listener.listen(port, "127.0.0.1", () => resume(Effect.void))
    })
  }
  return server
})

const newToken = ({ engine }: ConsoleServer, more: Partial<ConsoleSession.NewLink>) =>
  ConsoleAccess.ConsoleAccess.pipe(
    Effect.flatMap(({ createLink }) => createLink({ role: "admin", name: "Grace", ...more })),
    Effect.map(({ token }) => Redacted.value(token)),
    Effect.provideContext(engine.services)
  )

/** The address of a fresh link. */
export const link = (server: ConsoleServer, more: Partial<ConsoleSession.NewLink> = {}) =>
  Effect.map(newToken(server, more), (token) => `${server.url}/console/link#${token}`)

/** Opens a session in the page's browser, without the page of the link. */
export const signIn = Effect.fnUntraced(
  function*(server: ConsoleServer, page: Page, more: Partial<ConsoleSession.NewLink> = {}) {
    const token = yield* newToken(server, more)
    const response = yield* Effect.promise(() =>
      page.context().request.post(`${server.url}/console/api/session`, {
        headers: { "outdial-console": "1" },
        data: { token }
      })
    )
    assert.isTrue(response.ok())
  }
)

/** Opens a page of the account, such as `calls?status=queued`, in a session of this role. */
export const openPage = Effect.fnUntraced(function*(
  server: ConsoleServer,
  path: string,
  { colorScheme, role = "admin", viewport }: Browser.PageOptions & Partial<ConsoleSession.NewLink> = {}
) {
  const page = yield* Browser.page({
    ...(colorScheme !== undefined && { colorScheme }),
    ...(viewport !== undefined && { viewport })
  })
  yield* signIn(server, page, { role })
  yield* Effect.promise(() => page.goto(`${server.url}/console/${server.accountId}/${path}`))
  return page
})
