/** How soon conversations get their answers, beside a server that only answers. */
import { Effect } from "effect"
import * as Fixture from "../Fixture.ts"
import * as Measurement from "../Measurement.ts"
import * as Conversing from "./Conversing.ts"
import type * as Line from "./line.ts"

/** Longer than any measurement. */
export const maxDurationSeconds = 4 * 60 * 60

/** While a peer is measured, our conversations are silent. */
const silenceSeconds = 120

export interface Goals {
  readonly p50?: Omit<Measurement.Goal, "peer">
  readonly p99?: Omit<Measurement.Goal, "peer">
}

export const atMost = (millis: number): Omit<Measurement.Goal, "peer"> => ({
  text: `≤ ${millis} ms`,
  isReached: (value) => value <= millis
})

export const latencies = (name: string, goals: Goals) => {
  const figure = (percentile: "p50" | "p99"): Measurement.Figure => {
    const goal = goals[percentile]
    return { name: `${name}-${percentile}`, unit: "ms", better: "less", ...(goal !== undefined && { goals: [goal] }) }
  }
  return [figure("p50"), figure("p99")] as const
}

/**
 * A conversation that is not measured. The first answer takes as long as a process needs to load what it uses, and the next hundreds run
 * code that is not compiled yet, of which a node has more than a server that only answers. Nodes run for days.
 */
const warmUp = Effect.fnUntraced(function*(port: number, id: string) {
  const lines = yield* Conversing.lines
  yield* lines.open(port, [id])
  yield* lines.talk({ every: 3000, speech: 0, turns: 1 })
  yield* lines.talk({ every: 40, speech: 0, turns: 200 })
  yield* lines.close
}, Effect.scoped)

/** Answers to the contact's words, of so many conversations at once; by a language model if the address of one is given. */
export const answers = Effect.fnUntraced(function*(
  fixture: Fixture.Fixture,
  { count, figures, modelUrl, peer = "ws, a server that only answers", talk, times = ({ p50, p99 }) => [p50, p99] }: {
    readonly count: number
    readonly figures: Measurement.Measure["figures"]
    readonly modelUrl?: string
    readonly peer?: string
    /** The values of the figures. Default: how long answers take, by two percentiles. */
    readonly times?: (talked: Line.Talked) => ReadonlyArray<number>
    readonly talk: { readonly every: number; readonly speech: number; readonly turns: number }
  }
) {
  const accounts = yield* Fixture.accounts(fixture, 1, { maxDurationSeconds, silenceSeconds })
  const node = yield* Conversing.node(fixture, modelUrl)
  const [first = "", ...others] = yield* node.answer(accounts, count + 1)
  const theirPort = yield* Conversing.bareServer(modelUrl)
  for (const [port, id] of [[node.port, first], [theirPort, "first"]] as const) yield* warmUp(port, id)
  const ours = yield* Conversing.lines
  yield* ours.open(node.port, others)
  const theirs = yield* Conversing.lines
  yield* theirs.open(theirPort, others)
  for (const lines of [ours, theirs]) yield* lines.talk({ ...talk, every: Math.max(talk.every, 3000), turns: 1 })
  const run = (lines: typeof ours) => (turns: number) =>
    Effect.flatMap(lines.talk({ ...talk, turns }), (talked) =>
      talked.lost === 0
        ? Effect.succeed(times(talked))
        : Effect.die(new Error(`${talked.lost} turns have no answer`)))
  const measurements = yield* Measurement.measured({
    figures,
    ours: run(ours),
    peers: [{ label: peer, run: run(theirs) }],
    first: talk.turns,
    most: talk.turns
  })
  yield* ours.close
  yield* node.settled
  return measurements
}, Effect.scoped)
