/**
 * Webhook deliveries with everything that an outbox takes: claimed from Postgres, signed twice, sent through the gate, put on
 * record. One receiver, beside bare undici that posts the same bodies to it. Both may have about 50 requests in flight: as
 * many accounts as it takes for the engine's bound on each endpoint to add up to that.
 */
import { Agent } from "@effect/platform-node/Undici"
import { Batches, Engine, Limits } from "@outdial/core"
import { GatedTransport } from "@outdial/node"
import { Context, Effect, Schedule } from "effect"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import * as Load from "../Load.ts"
import * as Measurement from "../Measurement.ts"
import * as NodeProfile from "../NodeProfile.ts"
import * as Pgbench from "../Pgbench.ts"
import * as Profiling from "../Profiling.ts"
import * as Fixture from "../Fixture.ts"

const accountCount = Math.ceil(50 / Limits.deliveriesInFlight)
/** Of either side. */
const inFlight = accountCount * Limits.deliveriesInFlight

const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const worker = new Worker(new URL("../receiver.mjs", import.meta.url))
    const [{ port }] = await once(worker, "message")
    const received = Effect.promise(async (): Promise<number> => {
      worker.postMessage("count")
      const [{ received }] = await once(worker, "message")
      return received
    })
    const cpu = Effect.promise(async () => NodeProfile.millis(await worker.cpuUsage()))
    return { worker, received, cpu, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/hook` }
  }),
  ({ worker }) => Effect.promise(() => worker.terminate())
)

/** Posts the bodies, and nothing else. */
const post = (host: string, bodies: Array<string>) =>
  Effect.promise(async () => {
    const agent = new Agent({ connections: inFlight, pipelining: 1 })
    await Promise.all(Array.from({ length: inFlight }, async () => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
        const headers = { "content-type": "application/json" }
        const answer = await agent.request({ origin: `http://${host}`, path: "/hook", method: "POST", headers, body })
        await answer.body.dump()
      }
    }))
    await agent.close()
  })

export const deliveries = Effect.gen(function*() {
  const { cpu, host, received, url } = yield* receiver
  yield* Profiling.watch({ isThis: true, ...NodeProfile.make(cpu) })
  const fixture = yield* Fixture.make("bench_deliveries", { transport: GatedTransport.layer({ allow: [host] }) })
  const { services, sql } = fixture
  const accounts = yield* Fixture.accounts(fixture, accountCount, { webhook: url })
  const batches = Context.get(services, Batches.Batches)
  const { run } = Context.get(services, Engine.Engine)

  /** Test calls, which end at once, each with an event to be delivered; answers how many. */
  const makeBacklog = Effect.fnUntraced(function*(count: number) {
    const rounds = Math.ceil(count / (accountCount * Limits.batchRows))
    const each = Math.ceil(count / (accountCount * rounds))
    for (let round = 0; round < rounds; round++) {
      yield* Effect.forEach(
        accounts,
        ({ accountId, agentId }) =>
          batches.start(accountId, { agentId, calls: Array.from({ length: each }, Load.row), test: true }),
        { concurrency: 4 }
      )
    }
    return each * accountCount * rounds
  })

  const isLeft = Effect.map(
    sql<{ readonly left: boolean }>`
      select exists (select 1 from outdial_deliveries where state in ('pending', 'sending')) as left`,
    ([row]) => row?.left === true
  )

  const ours = Effect.fnUntraced(function*(count: number) {
    const total = yield* makeBacklog(count)
    const before = yield* received
    // The receiver is asked first, so that looking takes nothing from the database that is measured.
    const arrived = Effect.andThen(
      received.pipe(Effect.repeat({ schedule: Schedule.spaced("20 millis"), while: (all) => all - before < total })),
      isLeft.pipe(Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (left) => !left }))
    )
    const elapsed = yield* Measurement.timed(Effect.raceFirst(arrived, run))
    return [Measurement.perSecond(total, elapsed)]
  })

  const theirs = Effect.fnUntraced(function*(count: number) {
    const rows = yield* sql<{ readonly body: string }>`select body from outdial_events limit ${count}`
    const elapsed = yield* Measurement.timed(post(host, rows.map(({ body }) => body)))
    return [Measurement.perSecond(rows.length, elapsed)]
  })

  return yield* Measurement.measured({
    figures: [{
      name: "deliveries",
      unit: "deliveries/s",
      better: "more",
      goals: [{ text: "≥ 15,000/s", isReached: (value) => value >= 15_000 }]
    }],
    ours,
    peers: [
      { label: "undici, the same bodies, nothing stored", run: theirs },
      ...yield* Pgbench.contender(fixture, {
        label: "pgbench, claimed and recorded by 100",
        script: "outbox100",
        rows: 100,
        clients: 4,
        until: { seconds: 2 }
      })
    ],
    first: 2600,
    most: 26_000
  })
})
