/** Calls accepted by `POST /v1/batches` with 1,000 rows each, 4 in flight, by one node. */
import { Effect } from "effect"
import * as Load from "../Load.ts"
import * as Measurement from "../Measurement.ts"
import * as Peers from "../Peers.ts"
import * as Pgbench from "../Pgbench.ts"
import * as Requests from "../Requests.ts"
import * as Fixture from "../Fixture.ts"

const rows = 1000
const inFlight = 4
const least = "pgbench, the rows inserted by 1,000"

export const acceptBatches = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_batches")
  const node = yield* Fixture.node(fixture)
  const port = Number(yield* node({ task: "port" }))

  const ours = Effect.fnUntraced(function*(count: number) {
    const [account] = yield* Fixture.accounts(fixture, 1)
    if (account === undefined) return []
    const batches = Math.ceil(count / rows)
    const keys = yield* Fixture.keys(fixture, account, { inFlight, requests: batches })
    const requests = Array.from({ length: batches }, (_, index): Requests.Request => ({
      path: "/v1/batches",
      key: keys[index % keys.length] ?? "",
      body: JSON.stringify({ agent_id: account.agentId, calls: Array.from({ length: rows }, Load.wireRow) })
    }))
    return [Measurement.perSecond(batches * rows, yield* Measurement.timed(Requests.send(port, requests, inFlight)))]
  })

  const goals: ReadonlyArray<Measurement.Goal> = [
    { text: "≥ 0.5 of pgbench", peer: least, isReached: (_, ratio) => ratio >= 0.5 },
    { text: "≥ 25,000 calls/s", isReached: (value) => value >= 25_000 }
  ]
  return yield* Measurement.measured({
    figures: [{ name: "accept-batches", unit: "calls/s", better: "more", goals }],
    ours,
    peers: [
      ...yield* Pgbench.contender(fixture, {
        label: least,
        script: "insert1000",
        rows,
        clients: inFlight,
        until: { seconds: 2 }
      }),
      ...yield* Peers.contenders("graphileWorker", "bench_batches", { acceptBatches: "" }),
      ...yield* Peers.contenders("pgBoss", "bench_batches", { acceptBatches: "" })
    ],
    first: 4000,
    most: 200_000
  })
})
