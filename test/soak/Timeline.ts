/**
 * The time of a run. It may run faster than real time, so that leases of a minute expire in a short run. The database uses it
 * too; the clocks of nodes are a little wrong.
 */
import { type Clock, Duration, Effect } from "effect"

export interface Timeline {
  /** In real epoch milliseconds. */
  readonly startedAt: number
  /** How many times faster than life. */
  readonly speed: number
}

/** The instant of the timeline at a real one, both in epoch milliseconds. */
export const at = ({ speed, startedAt }: Timeline, real: number): number => startedAt + (real - startedAt) * speed

/** To the microsecond: `Date.now()` has only milliseconds, whose error grows with the speed of the timeline. */
export const now = (timeline: Timeline): number => at(timeline, performance.timeOrigin + performance.now())

/** The real milliseconds of a duration of the timeline. */
export const realMillis = ({ speed }: Timeline, millis: number): number => millis / speed

/** The clock of a process that is wrong by `skew` milliseconds of the timeline. */
export const clock = (timeline: Timeline, skew = 0): Clock.Clock => {
  const millis = () => now(timeline) + skew
  const nanos = () => BigInt(Math.round(millis() * 1000)) * 1000n
  const monotonic = () => process.hrtime.bigint() * BigInt(Math.round(timeline.speed * 1000)) / 1000n
  return {
    currentTimeMillisUnsafe: () => Math.floor(millis()),
    currentTimeMillis: Effect.sync(() => Math.floor(millis())),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: monotonic,
    monotonicTimeNanos: Effect.sync(monotonic),
    sleep: (duration) => {
      const real = realMillis(timeline, Duration.toMillis(duration))
      if (!Number.isFinite(real)) return Effect.never
      return Effect.callback((resume) => {
        const timer = setTimeout(() => resume(Effect.void), Math.min(real, longestTimer))
        return Effect.sync(() => clearTimeout(timer))
      })
    }
  }
}

/** Of Node's timers; no run lasts that long. */
const longestTimer = 2 ** 31 - 1

/** Makes the database use the timeline: `clock_timestamp()` resolves to this function first. */
export const databaseClock = ({ speed, startedAt }: Timeline): ReadonlyArray<string> => [
  `create function public.clock_timestamp() returns timestamptz volatile language sql as $$
    select pg_catalog.to_timestamp(
      ${startedAt / 1000}::float8
        + (extract(epoch from pg_catalog.clock_timestamp())::float8 - ${startedAt / 1000}::float8) * ${speed}::float8
    )
  $$`,
  `alter database postgres set search_path = public, pg_catalog`
]
