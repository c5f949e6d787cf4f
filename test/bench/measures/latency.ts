/** How long a call waits in an idle node: from its commit to its dial request to the carrier. */
import { Effect } from "effect"
import * as Measurement from "../Measurement.ts"
import * as Peers from "../Peers.ts"
import * as Fixture from "../Fixture.ts"

const count = 120

export const latency = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_latency")
  const node = yield* Fixture.node(fixture)
  const accounts = yield* Fixture.accounts(fixture, 1)
  yield* node({ task: "run" })
  const ours = (count: number) =>
    Effect.map(
      Effect.forEach(accounts, (account) => node({ task: "latency", count, ...account })),
      (figures) => figures.flat().map(Number)
    )
  return yield* Measurement.measured({
    figures: [
      {
        name: "latency-p50",
        unit: "ms",
        better: "less",
        goals: [{ text: "≤ 1 ms", isReached: (value) => value <= 1 }]
      },
      {
        name: "latency-p99",
        unit: "ms",
        better: "less",
        goals: [{ text: "≤ 4 ms", isReached: (value) => value <= 4 }]
      }
    ],
    ours,
    peers: [
      ...yield* Peers.contenders("barePg", fixture.name, { latency: "insert, notice and claim" }),
      ...yield* Peers.contenders("graphileWorker", fixture.name, { latency: "" }),
      ...yield* Peers.contenders("pgBoss", fixture.name, { latency: "with LISTEN" })
    ],
    first: count,
    most: count
  })
})
