/** Whole lives of calls, by one node and by three, with a carrier and a receiver that take no time; and what they write. */
import { Effect } from "effect"
import * as Lifecycles from "../Lifecycles.ts"
import * as Measurement from "../Measurement.ts"
import * as Peers from "../Peers.ts"
import * as Pgbench from "../Pgbench.ts"
import * as Fixture from "../Fixture.ts"
import * as Written from "../Written.ts"

const least = "pgbench, the least writes by 100"
const seconds = 2

const byNodes = Effect.fnUntraced(function*(name: string, nodes: number) {
  const fixture = yield* Fixture.make(`bench_${name.replaceAll("-", "_")}`)
  const { run } = yield* Lifecycles.make(fixture, nodes)
  const pgbench = yield* Pgbench.contender(fixture, {
    label: least,
    script: "lifecycle100",
    rows: 100,
    clients: 4,
    until: { seconds }
  })
  const tasks = { lifecycles: "one by one", lifecyclesInGroups: "by 500" }
  const peers = [
    ...yield* Peers.contenders("graphileWorker", fixture.name, tasks),
    ...yield* Peers.contenders("pgBoss", fixture.name, tasks)
  ]
  const oneByOne = peers.filter(({ label }) => label.endsWith(tasks.lifecycles))
  return yield* Measurement.measured({
    figures: [
      {
        name,
        unit: "calls/s",
        better: "more",
        goals: [
          { text: "≥ 0.5 of pgbench", peer: least, isReached: (_, ratio) => ratio >= 0.5 },
          { text: "≥ 8,000 calls/s", isReached: (value) => value >= 8000 },
          ...oneByOne.map(({ label }) => ({
            text: "≥ 1",
            peer: label,
            isReached: (_: number, ratio: number) => ratio >= 1
          }))
        ]
      },
      ...Written.figures(name)
    ],
    ours: Written.beside(fixture.sql, { label: "", run }).run,
    peers: [
      ...pgbench.map((contender) => Written.beside(fixture.sql, contender, seconds)),
      ...peers.map((contender) => Written.beside(fixture.sql, contender))
    ],
    first: 200,
    most: 30_000
  })
})

export const lifecycles = byNodes("lifecycles", 1)
export const lifecyclesNodes = byNodes("lifecycles-3-nodes", 3)
