/** How soon conversations get their answers, beside a server that only answers. */
import { Effect } from "effect"
import * as Fixture from "../Fixture.ts"
import * as Measurement from "../Measurement.ts"
import * as Conversing from "./Conversing.ts"

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

/** Answers to the contact's words, of so many conversations at once; by a language model if the address of one is given. */
export const answers = Effect.fnUntraced(function*(
  fixture: Fixture.Fixture,
  { count, figures, modelUrl, peer = "ws, a server that only answers", talk }: {
    readonly count: number
    readonly figures: Measurement.Measure["figures"]
    readonly modelUrl?: string
    readonly peer?: string
    readonly talk: { readonly every: number; readonly speech: number; readonly turns: number }
  }
) {
  const accounts = yield* Fixture.accounts(fixture, 1, { maxDurationSeconds, silenceSeconds })
  const node = yield* Conversing.node(fixture, modelUrl)
  const ours = yield* Conversing.lines
  yield* ours.open(node.port, yield* node.answer(accounts, count))
  const theirs = yield* Conversing.lines
  yield* theirs.open(
    yield* Conversing.bareServer(modelUrl),
    Array.from({ length: count }, (_, index) => `${index}`)
  )
  // The first answer takes longer than a turn may: the processes load and compile what it needs.
  for (const lines of [ours, theirs]) yield* lines.talk({ ...talk, every: Math.max(talk.every, 3000), turns: 1 })
  const run = (lines: typeof ours) => (turns: number) =>
    Effect.flatMap(lines.talk({ ...talk, turns }), ({ lost, p50, p99 }) =>
      lost === 0
        ? Effect.succeed([p50, p99])
        : Effect.die(new Error(`${lost} turns have no answer`)))
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
