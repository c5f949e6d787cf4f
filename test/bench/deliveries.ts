/**
 * Webhook deliveries per second with everything that an outbox takes: claimed from Postgres, signed twice, sent through the
 * gate, put on record. One receiver, beside bare undici that posts the same bodies to it. Both may have about 50 requests in
 * flight: as many accounts as it takes for the engine's bound on each endpoint to add up to that.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import {
  Accounts,
  Agents,
  Batches,
  Engine,
  Limits,
  PhoneNumber,
  Recordings,
  SimulatedTelephony,
  Webhooks
} from "@outdial/core"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Agent } from "@effect/platform-node/Undici"
import { GatedTransport } from "@outdial/node"
import { EngineStack } from "@outdial/server"
import { Effect, Fiber, Logger, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import * as postgresSetup from "../support/postgresSetup.ts"
import * as Measurement from "./Measurement.ts"

const accountCount = Math.ceil(50 / Limits.deliveriesInFlight)
const callsPerAccount = 1000
/** Of either side. */
const inFlight = accountCount * Limits.deliveriesInFlight
const runs = 3

/** The Postgres that tests use, started for this process. */
const postgres = Effect.acquireRelease(
  Effect.promise(async () => {
    let url = ""
    const stop = await postgresSetup.start((name) => (url = name))
    return { url, stop }
  }),
  ({ stop }) => Effect.promise(async () => stop?.())
).pipe(Effect.tap(({ url }) =>
  // It starts in the background.
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url) })),
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 200 })
  )
))

const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const worker = new Worker(new URL("./receiver.mjs", import.meta.url))
    const [{ port }] = await once(worker, "message")
    const received = Effect.promise(async (): Promise<number> => {
      worker.postMessage("count")
      const [counted] = await once(worker, "message")
      return counted.received
    })
    return { worker, received, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/hook` }
  }),
  ({ worker }) => Effect.promise(() => worker.terminate())
)

/** Accounts with an endpoint each. */
const makeAccounts = Effect.fnUntraced(function*(url: string) {
  const accounts = yield* Accounts.Accounts
  const agents = yield* Agents.Agents
  const webhooks = yield* Webhooks.Webhooks
  return yield* Effect.forEach(
    Array.from({ length: accountCount }, (_, index) => index),
    (index) =>
      Effect.gen(function*() {
        const { id } = yield* accounts.create({ name: `Account ${index}` })
        yield* webhooks.set(id, { url })
        const agent = yield* agents.put(id, {
          name: "Ada",
          script: "Hello {{contact.name}}",
          questions: ["Will you come?"],
          dispositions: ["yes", "no"]
        })
        return { id, agentId: agent.id }
      })
  )
})

/** Ends calls in every account, each of which leaves an event to be delivered. */
const makeBacklog = Effect.fnUntraced(function*(accounts: Effect.Success<ReturnType<typeof makeAccounts>>) {
  const batches = yield* Batches.Batches
  yield* Effect.forEach(accounts, ({ agentId, id }) => {
    const calls = Array.from({ length: callsPerAccount }, (_, index) => ({
      phoneNumber: PhoneNumber.PhoneNumber.make(`+1415555${String(index).padStart(4, "0")}`),
      contact: { name: "Grace" }
    }))
    return batches.start(id, { agentId, calls, test: true })
  }, { concurrency: 4 })
})

const total = accountCount * callsPerAccount

const perSecond = (count: number, millis: number) => count / (millis / 1000)

const measure = Effect.gen(function*() {
  const { host, received, url } = yield* receiver
  const database = yield* postgres
  const stack = EngineStack.layer({
    place: { _tag: "Postgres", url: Redacted.make(database.url) },
    publicUrl: "https://bench.test",
    signingKey: Redacted.make("bench"),
    secretKeys: { key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) },
    telephony: SimulatedTelephony.layer(),
    recordings: Recordings.Recordings.layerMemory,
    transport: GatedTransport.layer({ allow: [host] })
  })

  return yield* Effect.gen(function*() {
    const engine = yield* Engine.Engine
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* makeAccounts(url)

    const isUndelivered = Effect.map(
      sql<{ readonly exists: boolean }>`
        select exists (select 1 from outdial_deliveries where state in ('pending', 'sending'))`,
      ([row]) => row?.exists === true
    )

    const ours = Effect.gen(function*() {
      yield* makeBacklog(accounts)
      const before = yield* received
      const start = performance.now()
      const running = yield* Effect.forkChild(engine.run)
      // The receiver is asked first, so that looking takes nothing from the database that is measured.
      yield* received.pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), while: (all) => all - before < total })
      )
      yield* isUndelivered.pipe(Effect.repeat({ schedule: Schedule.spaced("20 millis"), while: (left) => left }))
      const took = performance.now() - start
      yield* Fiber.interrupt(running)
      return perSecond(total, took)
    })

    const theirs = Effect.gen(function*() {
      const bodies = (yield* sql<{ readonly body: string }>`select body from outdial_events limit ${total}`)
        .map(({ body }) => body)
      const agent = new Agent({ connections: inFlight, pipelining: 1 })
      const start = performance.now()
      yield* Effect.promise(() =>
        Promise.all(Array.from({ length: inFlight }, async () => {
          for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
            const answer = await agent.request({
              origin: `http://${host}`,
              path: "/hook",
              method: "POST",
              headers: { "content-type": "application/json" },
              body
            })
            await answer.body.dump()
          }
        }))
      )
      const took = performance.now() - start
      yield* Effect.promise(() => agent.close())
      return perSecond(total, took)
    })

    return yield* Measurement.inTurns({
      name: "deliveries",
      unit: "deliveries/s",
      peer: `undici, the same bodies, up to ${inFlight} in flight on both sides, nothing kept`,
      runs,
      ours,
      theirs
    })
  }).pipe(Effect.provide([stack, PgClient.layer({ url: Redacted.make(database.url), maxConnections: 1 })]))
})

export const deliveries = measure.pipe(
  Effect.scoped,
  Effect.orDie,
  Effect.provide([Logger.layer([]), NodeServices.layer])
)
