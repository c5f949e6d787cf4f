/** Calls accepted one by one by `POST /v1/calls`, 50 in flight, by one node. */
import { Effect } from "effect"
import * as Load from "../Load.ts"
import * as Measurement from "../Measurement.ts"
import * as Peers from "../Peers.ts"
import * as Pgbench from "../Pgbench.ts"
import * as Requests from "../Requests.ts"
import * as Fixture from "../Fixture.ts"

const inFlight = 50

export const acceptCalls = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_calls")
  const node = yield* Fixture.node(fixture)
  const port = Number(yield* node({ task: "port" }))

  const ours = Effect.fnUntraced(function*(count: number) {
    const [account] = yield* Fixture.accounts(fixture, 1)
    if (account === undefined) return []
    const keys = yield* Fixture.keys(fixture, account, { inFlight, requests: count })
    const requests = Array.from({ length: count }, (_, index): Requests.Request => ({
      path: "/v1/calls",
      key: keys[index % keys.length] ?? "",
      body: JSON.stringify({ agent_id: account.agentId, ...Load.wireRow() })
    }))
    return [Measurement.perSecond(count, yield* Measurement.timed(Requests.send(port, requests, inFlight)))]
  })

  const [pg] = yield* Peers.contenders("barePg", "bench_calls", { acceptCalls: "the same insert" })
  const goals: ReadonlyArray<Measurement.Goal> = [
    { text: "≥ 0.5 of pg", ...(pg !== undefined && { peer: pg.label }), isReached: (_, ratio) => ratio >= 0.5 }
  ]
  return yield* Measurement.measured({
    figures: [{ name: "accept-calls", unit: "calls/s", better: "more", goals }],
    ours,
    peers: [
      ...(pg === undefined ? [] : [pg]),
      ...yield* Pgbench.contender(fixture, {
        label: "pgbench, the row inserted",
        script: "insert1",
        rows: 1,
        clients: 10,
        until: { seconds: 2 }
      }),
      ...yield* Peers.contenders("graphileWorker", "bench_calls", { acceptCalls: "" }),
      ...yield* Peers.contenders("pgBoss", "bench_calls", { acceptCalls: "" })
    ],
    first: 500,
    most: 20_000
  })
})
