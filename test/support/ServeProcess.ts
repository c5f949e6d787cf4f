/** `outdial serve` as a process of its own on a Postgres of its own, with an account, and a way to cut it from its database. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Accounts, type Agent, Agents, ApiKey, ApiKeys } from "@outdial/core"
import { Migrations, Postgres as OutdialPostgres } from "@outdial/sql"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { connect, createServer, type Socket } from "node:net"
import * as Admin from "../../packages/server/src/cli/Admin.ts"
import * as DevProcess from "./DevProcess.ts"
import * as Postgres from "./postgres.ts"

export const secretKey = Buffer.alloc(32, 9).toString("base64")

let given = 0

/**
 * Probably free: `serve` takes no port 0, and from 32768 on ports are given to connections. The processes of a test run, whose numbers are
 * close, begin hundreds of ports apart.
 */
export const freePort = () => 12_000 + (process.pid * 7919 + given++) % 20_000

/**
 * A way to the database that can be cut: connections end, and no new ones are taken until it is mended; or silenced: those that
 * there are stay open, and nothing comes through them any more.
 */
export const cuttable = (databaseUrl: string) =>
  Effect.acquireRelease(
    Effect.callback<
      {
        readonly url: string
        readonly cut: () => void
        readonly mend: () => void
        readonly silence: () => void
        readonly close: () => void
      }
    >(
      (resume) => {
        const target = new URL(databaseUrl)
        const open = new Set<Socket>()
        let isCut = false
        const cutAll = () => open.forEach((socket) => socket.destroy())
        const server = createServer((near) => {
          if (isCut) return near.destroy()
          const far = connect(Number(target.port), target.hostname)
          for (const [one, other] of [[near, far], [far, near]] as const) {
            open.add(one)
            one.on("error", () => {}).on("close", () => {
              open.delete(one)
              other.destroy()
            }).pipe(other)
          }
        }).listen(0, "127.0.0.1", () => {
          const address = server.address()
          const url = new URL(databaseUrl)
          url.port = String(typeof address === "object" && address !== null ? address.port : 0)
          resume(Effect.succeed({
            url: url.toString(),
            cut: () => {
              isCut = true
              cutAll()
            },
            mend: () => void (isCut = false),
            silence: () => open.forEach((socket) => socket.unpipe().resume()),
            close: () => {
              cutAll()
              server.close()
            }
          }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

/** An account with an agent, a key of all scopes and many lines. */
export const tenant = (
  databaseUrl: string,
  { agent: content, lines = 50 }: { readonly agent?: Partial<Agent.AgentDefinition>; readonly lines?: number } = {}
) =>
  Effect.gen(function*() {
    const { create } = yield* Accounts.Accounts
    // Tests run at any hour.
    const { id } = yield* create({ name: "Operated", lines, policy: { callingHours: null } })
    const agent = yield* Effect.flatMap(
      Agents.Agents,
      ({ put }) =>
        put(id, { name: "Agent", script: "Hello", variables: [], questions: [], dispositions: ["done"], ...content })
    )
    const keys = yield* ApiKeys.ApiKeys
    const { secret } = yield* keys.create(id, { name: "test", scopes: ApiKey.Scope.literals })
    return { accountId: id, agentId: agent.id, key: Redacted.value(secret) }
  }).pipe(Effect.provide(
    Admin.layer.pipe(
      Layer.provide(Migrations.layer.pipe(Layer.provide(OutdialPostgres.layer({ url: Redacted.make(databaseUrl) })))),
      Layer.provide([
        ConfigProvider.layer(ConfigProvider.fromUnknown({ DATABASE_URL: databaseUrl })),
        NodeServices.layer
      ])
    )
  ))

/** Starts the server, and waits until it serves an account. */
export const start = Effect.fnUntraced(function*(env: Record<string, string> = {}) {
  const databaseUrl = env["DATABASE_URL"] ?? (yield* Postgres.database)
  return yield* startBeside({ databaseUrl, ...(yield* tenant(databaseUrl)) }, env)
})

/** What a server serves: an account with an agent and a key. */
interface Tenancy {
  readonly accountId: string
  readonly agentId: string
  readonly databaseUrl: string
  readonly key: string
}

/** Starts a server on what another one serves. */
export const startBeside = Effect.fnUntraced(function*(
  tenancy: Tenancy,
  env: Record<string, string> = {}
) {
  const { databaseUrl, key } = tenancy
  const port = Number(env["PORT"] ?? freePort())
  const spawned = yield* DevProcess.spawnOutdial(["serve"], {
    DATABASE_URL: databaseUrl,
    OUTDIAL_SECRET_KEY: secretKey,
    PORT: String(port),
    ...(env["OUTDIAL_CONFIG"] === undefined && { OUTDIAL_CARRIER: "simulated" }),
    ...env
  })
  yield* DevProcess.eventually(
    Effect.suspend(() =>
      /Outdial (serves|dials)/.test(spawned.output().stdout) ? Effect.void : Effect.fail(spawned.output().stderr)
    )
  )
  const url = `http://127.0.0.1:${port}`
  const request = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { "x-api-key": key }
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
    // The tests read what they expect and fail on anything else.
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  return { ...spawned, ...tenancy, request, url }
})
