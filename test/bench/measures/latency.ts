/** How long a call waits in an idle node: from its commit to the moment that the carrier is asked to dial it. */
import { Effect } from "effect"
import * as Measurement from "../Measurement.ts"
import * as Peers from "../Peers.ts"
import * as Setting from "../Fixture.ts"

const count = 120

export const latency = Effect.gen(function*() {
  const setting = yield* Setting.make("bench_latency")
  const node = yield* Setting.node(setting)
  const accounts = yield* Setting.accounts(setting, 1)
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
      ...yield* Peers.contenders("barePg", setting.name, { latency: "insert, notice and claim" }),
      ...yield* Peers.contenders("graphileWorker", setting.name, { latency: "" }),
      ...yield* Peers.contenders("pgBoss", setting.name, { latency: "with LISTEN" })
    ],
    first: count,
    most: count
  })
})
