/** The figures of a benchmark, beside those of peers that are measured in the same run. */
import { Effect, Option } from "effect"
import { Profiling } from "./Profiling.ts"

/** Who is measured. */
export interface Contender {
  readonly label: string
  /** One turn, with about so many units of work where that can be chosen; answers its figures. */
  readonly run: (count: number) => Effect.Effect<ReadonlyArray<number>, unknown>
}

/** What a figure is to be, and why. */
export interface Goal {
  readonly text: string
  readonly isReached: (value: number, ratio: number) => boolean
  /** The peer whose ratio it is about; without one it is about our figure. */
  readonly peer?: string | undefined
}

export interface Figure {
  readonly name: string
  readonly unit: string
  /** Whether a greater figure is a better one. */
  readonly better: "more" | "less"
  readonly goals?: ReadonlyArray<Goal>
}

export interface Measure {
  /** The figures of each turn; the first one is the pace, in units of work per second, unless `most` is `first`. */
  readonly figures: readonly [Figure, ...ReadonlyArray<Figure>]
  readonly ours: Contender["run"]
  readonly peers: ReadonlyArray<Contender>
  /** Units of work in the first turn, and at most. */
  readonly first: number
  readonly most: number
}

/** One for each figure and peer, or one without a peer where there is none. */
export interface Measurement {
  readonly name: string
  readonly unit: string
  /** The median of the runs. */
  readonly value: number
  readonly peer: string | null
  readonly peer_value: number | null
  readonly ratio: number | null
  readonly runs: number
  /** The least and the most of the runs. */
  readonly spread: readonly [number, number]
  readonly peer_spread: readonly [number, number] | null
  readonly better: Figure["better"]
  readonly goals: ReadonlyArray<{ readonly text: string; readonly reached: boolean }>
}

/** How long one turn is to take, at the pace of the one before. */
const turnSeconds = 2

const runs = 3

/**
 * Measures ours and the peers in turns, after turns of each that only show the pace: a short one, and one as long as those that
 * count, in which processes compile what they run.
 */
export const measured = Effect.fnUntraced(function*({ figures, first, most, ours, peers }: Measure) {
  const warm = ({ run }: Contender) => {
    const next = (count: number) =>
      Effect.map(run(count), ([pace = 0]) => Math.round(Math.min(most, Math.max(first, pace * turnSeconds))))
    return most > first ? Effect.flatMap(next(first), next) : next(first)
  }
  const we: Contender = { label: "ours", run: ours }
  const profiling = yield* Effect.serviceOption(Profiling)
  if (Option.isSome(profiling)) {
    const count = yield* warm(we)
    // What compiles by and by would be taken for work.
    yield* Effect.repeat(ours(count), { times: 3 })
    yield* profiling.value.take(figures[0], ours(count), count)
    return []
  }
  const contenders = [we, ...peers]
  const counts = yield* Effect.forEach(contenders, warm)
  const turns: Array<ReadonlyArray<ReadonlyArray<number>>> = []
  for (let run = 0; run < runs; run++) {
    turns.push(yield* Effect.forEach(contenders, ({ run }, index) => run(counts[index] ?? first)))
  }
  return figures.flatMap((figure, at) =>
    compared(
      figure,
      peers.map(({ label }) => label),
      contenders.map((_, index) => turns.flatMap((turn) => turn[index]?.[at] ?? []))
    )
  )
})

/** The figures of a single run without peers, of what takes too long to be repeated. */
export const once = (figures: ReadonlyArray<Figure>, values: ReadonlyArray<number>): ReadonlyArray<Measurement> =>
  figures.flatMap((figure, at) => compared(figure, [], [[values[at] ?? Number.NaN]]))

const compared = (
  { better, goals = [], name, unit }: Figure,
  peers: ReadonlyArray<string>,
  [ours = [], ...theirs]: ReadonlyArray<ReadonlyArray<number>>
): ReadonlyArray<Measurement> => {
  const value = median(ours)
  const common = { name, unit, value: rounded(value), runs: ours.length, spread: spreadOf(ours), better }
  const judged = (peer: string | null, ratio: number) =>
    goals.filter((goal) => goal.peer === undefined ? peer === (peers[0] ?? null) : goal.peer === peer)
      .map(({ isReached, text }) => ({ text, reached: isReached(value, ratio) }))
  // Not every peer has every figure.
  const reported = peers.flatMap((peer, index) => {
    const values = theirs[index] ?? []
    return values.length === 0 ? [] : [{ peer, values }]
  })
  if (reported.length === 0) {
    return [{
      ...common,
      peer: null,
      peer_value: null,
      ratio: null,
      peer_spread: null,
      goals: judged(peers[0] ?? null, Number.NaN)
    }]
  }
  return reported.map(({ peer, values }) => {
    const peerValue = median(values)
    const ratio = value / peerValue
    return {
      ...common,
      peer,
      peer_value: rounded(peerValue),
      ratio: Math.round(ratio * 1000) / 1000,
      peer_spread: spreadOf(values),
      goals: judged(peer, ratio)
    }
  })
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const spreadOf = (values: ReadonlyArray<number>) =>
  [rounded(Math.min(...values)), rounded(Math.max(...values))] as const

/** Three digits are more than a run is good for. */
const rounded = (value: number) => Number(value.toPrecision(3))

/** How many per second, of what takes `millis`. */
export const perSecond = (count: number, millis: number) => count / (millis / 1000)

/** The milliseconds that the effect takes. */
export const timed = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const millis = Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(effect, () => performance.now() - start)
  })
  const profiling = yield* Effect.serviceOption(Profiling)
  return yield* Option.isSome(profiling) ? profiling.value.during(millis) : millis
})
