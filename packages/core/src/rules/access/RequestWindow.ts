/**
 * Counts requests in a sliding window of 60 one-second buckets: no 60 consecutive seconds of the clock hold more than
 * the limit. Two bursts may be just over 59 s apart; a 61st bucket would refuse clients at exactly the rate. Pure;
 * storage has one window per key and writes it under the key's lock. A refused request is not counted.
 */

/** The counts of the 60 seconds that end with `second`, oldest first. */
export interface RequestWindow {
  /** Unix time. */
  readonly second: number
  readonly counts: ReadonlyArray<number>
}

export interface Verdict {
  readonly allowed: boolean
  /** Requests that would still be accepted now. */
  readonly remaining: number
  /** Seconds until a request will be accepted; 0 if one is accepted now. */
  readonly retryAfter: number
  /** Seconds until the oldest counted request leaves the window. */
  readonly reset: number
}

/** Seconds that count. */
export const size = 60

const empty: ReadonlyArray<number> = Array.from({ length: size }, () => 0)

/** Takes one request at `second`. A clock behind the window counts as being at the window. */
export const take = (
  before: RequestWindow | undefined,
  { limit, second }: { readonly limit: number; readonly second: number }
): { readonly window: RequestWindow; readonly verdict: Verdict } => {
  const { counts, second: at } = moved(before ?? { second, counts: empty }, second)
  const total = counts.reduce((sum, n) => sum + n, 0)
  if (total >= limit) {
    const retryAfter = secondsUntilFreed(counts, total - limit + 1)
    return {
      window: { second: at, counts },
      verdict: { allowed: false, remaining: 0, retryAfter, reset: secondsUntilFreed(counts, 1) }
    }
  }
  const taken = [...counts.slice(0, -1), (counts[size - 1] ?? 0) + 1]
  return {
    window: { second: at, counts: taken },
    verdict: { allowed: true, remaining: limit - total - 1, retryAfter: 0, reset: secondsUntilFreed(taken, 1) }
  }
}

const moved = ({ counts, second }: RequestWindow, now: number): RequestWindow => {
  const shift = Math.min(size, Math.max(0, now - second))
  return { second: Math.max(second, now), counts: [...counts.slice(shift), ...empty.slice(0, shift)] }
}

/** After how many seconds `needed` counted requests have left the window. */
const secondsUntilFreed = (counts: ReadonlyArray<number>, needed: number): number => {
  let freed = 0
  for (const [index, count] of counts.entries()) {
    freed += count
    if (freed >= needed) return index + 1
  }
  return size
}
