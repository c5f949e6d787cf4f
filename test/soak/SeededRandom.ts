/** Random numbers from a seed: the same seed gives the same numbers. */

export interface SeededRandom {
  /** From 0 until 1. */
  readonly next: () => number
  readonly chance: (probability: number) => boolean
  /** A whole number from the first to the last. */
  readonly between: (first: number, last: number) => number
  readonly pick: <A>(from: readonly [A, ...ReadonlyArray<A>]) => A
  readonly shuffled: <A>(all: ReadonlyArray<A>) => ReadonlyArray<A>
}

/** A separate sequence for each name, so that the parts of a run are independent. */
export const make = (seed: number, name: string): SeededRandom => {
  let state = Buffer.from(name).reduce((hash, byte) => Math.imul(hash ^ byte, 16_777_619), seed | 0)
  // Mulberry32: small, and good enough to choose faults by.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (first: number, last: number) => first + Math.floor(next() * (last - first + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (from) => from[between(0, from.length - 1)] ?? from[0],
    shuffled: (all) =>
      all.map((one) => ({ one, order: next() })).toSorted((a, b) => a.order - b.order).map(({ one }) => one)
  }
}
