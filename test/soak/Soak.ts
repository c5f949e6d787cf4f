/**
 * A whole run: the processes, the load, the faults; then calm until everything has ended, and the check. Everything that must
 * outlive a process is in the folder.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Events, Recordings, SimulatedTelephony } from "@outdial/core"
import { GatedTransport } from "@outdial/node"
import { EngineLayer } from "@outdial/server"
import { Clock, DateTime, Deferred, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import * as Check from "./Check.ts"
import * as Database from "./Database.ts"
import * as SeededRandom from "./SeededRandom.ts"
import type { Breach, Evidence } from "./Evidence.ts"
import * as Faults from "./Faults.ts"
import * as Journal from "./Journal.ts"
import * as Load from "./Load.ts"
import type { RunSettings } from "./Fixture.ts"
import * as Tenants from "./Tenants.ts"
import * as Witnesses from "./Recorders.ts"
import * as Workers from "./Workers.ts"
import * as Timeline from "./Timeline.ts"

export interface Options {
  readonly folder: string
  readonly seconds: number
  readonly seed: number
  readonly nodes: number
  readonly speed: number
  /** How wrong nodes' clocks are at most, in milliseconds of the timeline. */
  readonly skew: number
  readonly say: (line: string) => void
}

export interface Verdict {
  readonly evidence: Evidence
  readonly breaches: ReadonlyArray<Breach>
  readonly incidents: number
}

/** How long everything may take to end once all faults are over, in milliseconds of the world: leases, gaps, a backlog. */
const maxShutdown = 300_000

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const allocate = Effect.fnUntraced(
  function*({ folder, nodes, seed, skew, speed }: Options, random: SeededRandom.SeededRandom) {
    const databasePort = yield* freePort
    const settings = {
      folder,
      seed,
      life: 0,
      timeline: { startedAt: Date.now(), speed },
      carrierPort: yield* freePort,
      receiverPort: yield* freePort,
      nodes: yield* Effect.forEach(Array.from({ length: nodes }), (_, index) =>
        Effect.gen(function*() {
          const ports = { port: yield* freePort, callbackPort: yield* freePort }
          return { name: `node-${index + 1}`, ...ports, skew: random.between(-skew, skew) }
        }))
    }
    return { databasePort, settings }
  }
)

/** The services without the loops, for what is not done over HTTP. */
const operator = ({ databaseUrl, receiverPort, timeline }: RunSettings) =>
  EngineLayer.layer({
    ...Tenants.keys,
    location: { _tag: "Postgres", url: Redacted.make(databaseUrl) },
    telephony: SimulatedTelephony.layer(),
    recordings: Recordings.Recordings.layerMemory,
    transport: GatedTransport.layer({ allow: [`127.0.0.1:${receiverPort}`] })
  }).pipe(
    Layer.provideMerge(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 2 })),
    Layer.provide([NodeServices.layer, Layer.succeed(Clock.Clock, Timeline.clock(timeline))])
  )

export const run = Effect.fnUntraced(function*(options: Options) {
  const { folder, seed } = options
  const random = SeededRandom.make(seed, "place")
  const { databasePort, settings: allocated } = yield* allocate(options, random)
  const database = yield* Database.start(folder, databasePort)
  const settings: RunSettings = { ...allocated, databaseUrl: database.url }
  // The run itself takes real seconds: the engine's services use the timeline's clock.
  const real = yield* Clock.Clock
  return yield* shaken(options, settings, database).pipe(
    Effect.provideService(Clock.Clock, real),
    Effect.provide(operator(settings))
  )
})

const shaken = Effect.fnUntraced(function*(options: Options, settings: RunSettings, database: Database.Database) {
  const { folder, say, seconds, seed } = options
  const { timeline } = settings
  const sql = yield* SqlClient.SqlClient
  const events = yield* Events.Events
  yield* Effect.forEach(
    [...Timeline.databaseClock(timeline), ...Database.history],
    (statement) => sql.unsafe(statement)
  )
  const onTimeline = Effect.provideService(Clock.Clock, Timeline.clock(timeline))
  const tenants = yield* onTimeline(Tenants.make(settings))

  let count = 0
  const incidents: Workers.Incidents = {
    note: (what) => {
      count += 1
      say(what)
    }
  }
  const worker = (name: string, program: string) =>
    Workers.start({ name, program, settings }, SeededRandom.make(seed, `workers of ${name}`), incidents)
  const [carrier, receiver, first, ...others] = yield* Effect.all([
    worker("carrier", "carrier.process.ts"),
    worker("receiver", "receiver.process.ts"),
    ...settings.nodes.map(({ name }) => worker(name, "node.process.ts"))
  ], { concurrency: "unbounded" })
  const nodes = [first ?? carrier, ...others] as const
  say(`${nodes.length} nodes, a carrier and a receiver run on Postgres; ${seconds} s of load and faults begin`)

  let waiting: ReadonlyMap<string, number> = new Map()
  yield* Effect.forkScoped(
    Witnesses.waiting.pipe(
      Effect.map((counts) => (waiting = counts)),
      // Unknown while the database is down; the owners continue.
      Effect.ignore,
      Effect.repeat(Schedule.spaced("1 second"))
    )
  )
  const load = Load.make(settings, SeededRandom.make(seed, "load"), (accountId) => waiting.get(accountId) ?? 0)
  const owners = yield* Effect.forkScoped(load.run(tenants))
  const once = yield* Deferred.make<void>()
  const targets = { timeline, database, carrier, receiver, nodes }
  const faults = yield* Effect.forkScoped(
    Faults.run(targets, { random: SeededRandom.make(seed, "faults"), seconds, incidents, once })
  )
  yield* Effect.sleep(`${seconds} seconds`)
  // On a slow machine a little longer: a run without all kinds of faults would prove less than it says.
  yield* Deferred.await(once)

  yield* load.end
  yield* Fiber.interrupt(faults)
  writeFileSync(Journal.calm(folder), "")
  yield* Effect.forEach([carrier, receiver, ...nodes], ({ thaw }) => thaw, { discard: true })
  say("The faults are over; what was begun comes to its end")
  const allowed = Timeline.realMillis(timeline, maxShutdown)
  yield* Effect.timeoutOption(Fiber.join(owners), allowed)
  // What waits for minutes because its receiver was down is sent now, as its owner would ask for.
  yield* Effect.forEach(
    tenants,
    ({ id }) => onTimeline(events.recover(id, { since: DateTime.makeUnsafe(timeline.startedAt) }))
  ).pipe(
    Effect.retry({ times: 20, schedule: Schedule.spaced("500 millis") })
  )
  yield* Witnesses.unfinished.pipe(
    Effect.tap(({ calls, deliveries }) => Effect.sync(() => say(`${calls} calls and ${deliveries} deliveries to go`))),
    Effect.repeat({
      schedule: Schedule.spaced("1 second"),
      until: ({ calls, deliveries }) => calls + deliveries === 0
    }),
    Effect.timeoutOption(allowed)
  )
  const evidence = yield* Witnesses.hear({ requests: load.requests, folder, tenants })
  const verdict: Verdict = { evidence, breaches: Check.breaches(evidence), incidents: count }
  return verdict
})
