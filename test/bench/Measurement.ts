/** What a benchmark tells: a rate of ours beside a peer's, measured in turns in the same process. */
import { Effect } from "effect"

export interface Measurement {
  readonly name: string
  readonly unit: string
  /** The median of the runs. */
  readonly value: number
  readonly peer: string
  readonly peer_value: number
  readonly ratio: number
  readonly runs: number
}

/** Measures ours and the peer in turns, after one turn of each that does not count. */
export const inTurns = Effect.fnUntraced(function*<E, R>(
  { name, ours, peer, runs, theirs, unit }: Pick<Measurement, "name" | "peer" | "runs" | "unit"> & {
    readonly ours: Effect.Effect<number, E, R>
    readonly theirs: Effect.Effect<number, E, R>
  }
) {
  const rates: Array<readonly [number, number]> = []
  for (let run = 0; run <= runs; run++) rates.push([yield* ours, yield* theirs])
  const value = median(rates.slice(1).map(([rate]) => rate))
  const peer_value = median(rates.slice(1).map(([, rate]) => rate))
  const ratio = Math.round(value / peer_value * 1000) / 1000
  return { name, unit, value: Math.round(value), peer, peer_value: Math.round(peer_value), ratio, runs }
})

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
