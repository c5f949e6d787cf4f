/**
 * A run of calls over a fake carrier: nodes of `outdial serve` on one Postgres behind one public address, with conversations over real
 * sockets, while nodes and the database are killed and frozen and the carrier has all its faults; then calm until every call has ended, and
 * the check.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { DateTime, Effect, Fiber, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../Database.ts"
import type { Breach } from "../Evidence.ts"
import { final } from "../RingCheck.ts"
import * as SeededRandom from "../SeededRandom.ts"
import * as ServeProcess from "../../support/ServeProcess.ts"
import * as CarrierCheck from "./CarrierCheck.ts"
import * as FakeCarriers from "./FakeCarriers.ts"
import * as ServeNodes from "./ServeNodes.ts"

export interface Options {
  readonly carrier: FakeCarriers.Name
  readonly folder: string
  readonly seed: number
  readonly nodes: number
  readonly calls: number
  readonly say: (line: string) => void
}

export interface Verdict {
  readonly evidence: CarrierCheck.Evidence
  readonly breaches: ReadonlyArray<Breach>
  readonly counts: Readonly<Record<string, number>>
}

const lines = 40

/** How long all calls may take to end after the last fault: leases, the lag of look-ups, and attempts while the carrier was away. */
const longestEnd = "12 minutes"

const agent = {
  name: "Ada",
  script: "Hello, this is Ada about your visit.",
  questions: ["Will you come on Tuesday?"],
  dispositions: ["confirmed", "declined"],
  voicemailMessage: "Please call us back."
}

const numberOf = (index: number) => `+1415555${String(1000 + index).padStart(4, "0")}`

interface CallRow {
  readonly id: string
  readonly status: string
  readonly outcome_state: string
  readonly ended_at: Date | null
  readonly events: ReadonlyArray<string>
}

/** What is on record of all calls. */
const keptCalls = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<CallRow>`
    select c.id, c.status, c.outcome_state, c.ended_at, array(
      select e.type
      from outdial_events as e
      where e.account_id = c.account_id
        and e.call_id = c.id
        and e.type in ('call.completed', 'call.not_connected')
    ) as events
    from outdial_calls as c`
  return rows.map(({ ended_at, events, id, outcome_state, status }): CarrierCheck.KeptCall => ({
    id,
    status,
    outcomeState: outcome_state,
    events,
    ...(ended_at !== null && { endedAt: ended_at.getTime() })
  }))
})

const isOver = ({ outcomeState, status }: CarrierCheck.KeptCall) =>
  final.has(status) && outcomeState !== "pending" && outcomeState !== "awaiting_recording"

export const run = Effect.fnUntraced(function*(options: Options) {
  const { calls: wanted, carrier: name, folder, say, seed } = options
  const randomOf = (part: string) => SeededRandom.make(seed, `${name} ${part}`)
  const database = yield* Database.start(folder, ServeNodes.newPort())
  let isCalm = false
  const carrier = yield* FakeCarriers.make(name, randomOf("carrier"), () => isCalm)
  const tenant = yield* ServeProcess.tenant(database.url, { agent, lines })

  const ports = Array.from({ length: options.nodes }, ServeNodes.newPort)
  const { url } = yield* ServeNodes.publicAddress(ports, randomOf("address"))
  let incidents = 0
  const note = (what: string) => {
    incidents += 1
    say(what)
  }
  const environment = { ...carrier.environment, DATABASE_URL: database.url, OUTDIAL_PUBLIC_URL: url }
  const nodes = yield* Effect.forEach(
    ports,
    (port, index) =>
      ServeNodes.start({ name: `node-${index + 1}`, port, folder, environment }, {
        note,
        random: randomOf(`node ${index}`)
      }),
    { concurrency: "unbounded" }
  )
  say(`${nodes.length} nodes call ${wanted} numbers over a fake ${name}; nodes, database and carrier fail`)

  const random = randomOf("faults")
  const aNode = () => nodes[random.between(0, nodes.length - 1)] ?? nodes[0]
  const during = (condition: Parameters<FakeCarriers.FakeCarrier["setCondition"]>[0], millis: number) =>
    Effect.acquireUseRelease(
      carrier.setCondition(condition),
      () => Effect.sleep(millis),
      () => carrier.setCondition("well")
    )
  const faults: ReadonlyArray<() => readonly [what: string, strike: Effect.Effect<void, never, Scope.Scope>]> = [
    () => {
      const node = aNode()
      return [`${node?.name} killed`, node?.kill ?? Effect.void]
    },
    () => {
      const node = aNode()
      const millis = random.between(500, 12_000)
      return [
        `${node?.name} frozen for ${millis} ms`,
        Effect.asVoid(Effect.forkScoped(node?.freeze(millis) ?? Effect.void))
      ]
    },
    () => ["database killed", database.kill(random.between(300, 1500))],
    () => ["database frozen", database.freeze(random.between(300, 2500))],
    () => ["a socket is lost", carrier.cutSocket],
    () => ["a socket is lost", carrier.cutSocket],
    () => ["a request is cut", carrier.cutRequest],
    () => ["the carrier is unreachable", during("unreachable", random.between(300, 2000))],
    () => ["the carrier answers with errors", during("faulty", random.between(300, 2000))],
    () => ["the carrier does not answer", during("silent", random.between(300, 2000))]
  ]
  const strikes = Effect.gen(function*() {
    // Once: dialing pauses until the check a minute later.
    yield* Effect.sleep("3 seconds")
    note("the carrier refuses the account")
    yield* during("unauthorized", 1500)
    while (true) {
      for (const fault of random.shuffled(faults)) {
        yield* Effect.sleep(random.between(500, 2500))
        const [what, strike] = fault()
        note(what)
        yield* strike
      }
    }
  })

  const built = yield* Layer.build(PgClient.layer({ url: Redacted.make(database.url), maxConnections: 2 }))
  const read = Effect.provide(keptCalls, built)
  const startedAt = yield* DateTime.now
  const shaking = yield* Effect.forkScoped(Effect.scoped(strikes))
  for (let index = 0; index < wanted; index++) {
    const body = JSON.stringify({ agent_id: tenant.agentId, phone_number: numberOf(index), contact: { name: "Grace" } })
    // With a key, so that a request whose answer was lost can be repeated.
    yield* Effect.tryPromise(async () => {
      const response = await fetch(`${url}/v1/calls`, {
        method: "POST",
        headers: {
          "x-api-key": tenant.key,
          "content-type": "application/json",
          "idempotency-key": `call ${index}`
        },
        body,
        signal: AbortSignal.timeout(10_000)
      })
      if (response.status !== 201 && response.status !== 200) throw new Error(`Status ${response.status}`)
    }).pipe(Effect.retry({ times: 200, schedule: ServeNodes.retryEvery }))
    if (index % 250 === 249) say(`${index + 1} calls are accepted`)
  }
  // Most of them were dialed meanwhile; the rest is dialed under faults.
  const left = Effect.map(read, (kept) => kept.filter((call) => !isOver(call)).length)
  const untilLeft = (most: number) =>
    left.pipe(
      Effect.tap((count) => Effect.sync(() => say(`${count} calls have not ended`))),
      Effect.retry({ times: 100, schedule: ServeNodes.retryEvery }),
      Effect.delay("5 seconds"),
      Effect.repeat({ until: (count) => count <= most }),
      Effect.timeoutOption(longestEnd)
    )
  yield* untilLeft(wanted / 10)
  yield* Fiber.interrupt(shaking)
  isCalm = true
  yield* carrier.setCondition("well")
  say("All is calm")
  yield* untilLeft(0)
  // What the carrier still has to say.
  yield* Effect.sleep("5 seconds")
  const atCarrier = carrier.calls()
  const evidence: CarrierCheck.Evidence = { doubled: carrier.doubled, atCarrier, calls: yield* read }
  const count = (status: string) => evidence.calls.filter((call) => call.status === status).length
  const breaches = CarrierCheck.check(evidence)
  const seconds = ((yield* DateTime.now).epochMilliseconds - startedAt.epochMilliseconds) / 1000
  const verdict: Verdict = {
    evidence,
    breaches,
    counts: {
      seed,
      nodes: nodes.length,
      calls: evidence.calls.length,
      seconds: Math.round(seconds),
      incidents,
      faultyRequests: carrier.faults(),
      callbacks: carrier.callbacks(),
      callsAtCarrier: atCarrier.length,
      rings: atCarrier.filter(({ rangAt }) => rangAt !== undefined).length,
      doubled: carrier.doubled.size,
      ...Object.fromEntries([...final].map((status) => [status, count(status)])),
      breaches: breaches.length
    }
  }
  return verdict
})
