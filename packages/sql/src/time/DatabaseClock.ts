/**
 * The clock of a process that shares a Postgres with others: the database's clock, so that all processes evaluate the rules
 * at the same instant, whatever their own clocks say. Between measurements it follows the process's monotonic clock, which
 * cannot be set. It never goes back: if it is ahead, it stands still until the database's has caught up.
 */
import { ClockUncertainty, Limits } from "@outdial/core"
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** How often the clock is measured, and the samples of each measurement, of which the fastest is used. */
const [every, samples] = [Duration.seconds(30), 5]

/** How often to check whether the clock has become uncertain, which needs an earlier measurement. */
const checkEvery = Duration.seconds(1)

/** The maximum drift of a computer's clock, by NTP's worst case: 500 nanoseconds in a millisecond. */
const drift = 2_000n

/** The timeout of a measurement. */
const timeout = Duration.seconds(5)

/** A measurement of the database's clock. All values in nanoseconds. */
interface Measurement {
  /** The database's time when the monotonic clock was `at` and the process's own clock `ownTime`. */
  readonly time: bigint
  readonly at: bigint
  readonly ownTime: bigint
  /** The maximum error of `time`: half of the round trip. */
  readonly error: bigint
}

const nanosPerMilli = 1_000_000n

const abs = (nanos: bigint) => nanos < 0n ? -nanos : nanos
const max = (a: bigint, b: bigint) => a > b ? a : b

/** The estimated clock of the database, on top of the process's own. */
export const make = (own: Clock.Clock) => {
  let known: Measurement | undefined
  let shown = 0n

  const estimate = ({ at, time }: Measurement) => time + own.monotonicTimeNanosUnsafe() - at
  const now = () => shown = max(shown, known === undefined ? own.currentTimeNanosUnsafe() : estimate(known))

  /**
   * The measurement's error, plus the possible drift since, plus how long the computer slept or its clock was set by.
   */
  const errorOf = (measured: Measurement) => {
    const elapsed = own.monotonicTimeNanosUnsafe() - measured.at
    return measured.error + elapsed / drift + abs(own.currentTimeNanosUnsafe() - measured.ownTime - elapsed)
  }

  const clock: Clock.Clock = {
    currentTimeNanosUnsafe: now,
    currentTimeNanos: Effect.sync(now),
    currentTimeMillisUnsafe: () => Number(now() / nanosPerMilli),
    currentTimeMillis: Effect.sync(() => Number(now() / nanosPerMilli)),
    monotonicTimeNanosUnsafe: () => own.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: own.monotonicTimeNanos,
    sleep: (duration) => own.sleep(duration)
  }

  return {
    clock,
    /** The maximum difference to the database's clock, in nanoseconds; `undefined` before the first measurement. */
    uncertainty: (): bigint | undefined =>
      known === undefined ? undefined : errorOf(known) + max(0n, now() - estimate(known)),
    /** Uses a measurement if it is more exact than the last one, or contradicts it. */
    learn: (measured: Measurement) => {
      const isNeeded = known === undefined || errorOf(measured) <= errorOf(known) ||
        abs(estimate(measured) - estimate(known)) > errorOf(measured) + errorOf(known)
      if (isNeeded) known = measured
    }
  }
}

/** One query, timed by the process's own clocks. The only place where SQL reads the time. */
const takeSample = (sql: SqlClient.SqlClient, own: Clock.Clock) =>
  Effect.gen(function*() {
    const sentAt = own.monotonicTimeNanosUnsafe()
    const [row] = yield* sql<{ readonly micros: string }>`
      select (extract(epoch from clock_timestamp()) * 1000000)::bigint::text as micros`
    const error = (own.monotonicTimeNanosUnsafe() - sentAt) / 2n
    const measured: Measurement = {
      time: BigInt(row?.micros ?? 0) * 1000n,
      at: sentAt + error,
      ownTime: own.currentTimeNanosUnsafe() - error,
      error
    }
    return measured
  })

/** The fastest sample. */
const best = (sql: SqlClient.SqlClient, own: Clock.Clock) =>
  Effect.map(
    Effect.replicateEffect(takeSample(sql, own), samples),
    (measured) => measured.reduce((best, one) => one.error < best.error ? one : best)
  )

/** How far the process's clock is ahead of the database's, and the error of that, in milliseconds. */
export const compare: Effect.Effect<
  { readonly ahead: number; readonly error: number },
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function*() {
  const { error, ownTime, time } = yield* best((yield* SqlClient.SqlClient).withoutTransforms(), yield* Clock.Clock)
  return { ahead: Number(ownTime - time) / 1e6, error: Number(error) / 1e6 }
})

/** The clock and its uncertainty. Building the layer measures, and fails if the database is unavailable. */
export const layer: Layer.Layer<never, SqlError.SqlError, SqlClient.SqlClient> = Layer.effectContext(
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const own = yield* Clock.Clock
    const { clock, learn, uncertainty } = make(own)
    const measure = Effect.map(best(sql, own), learn)
    yield* measure
    const uncertain = Effect.sync(() => {
      const nanos = uncertainty()
      return nanos === undefined ? Duration.infinity : Duration.nanos(nanos)
    })

    let asked = own.monotonicTimeNanosUnsafe()
    const measureIfNeeded = Effect.gen(function*() {
      const isOld = own.monotonicTimeNanosUnsafe() - asked >= Duration.toNanosUnsafe(every)
      const doubt = yield* uncertain
      if (!isOld && Duration.isLessThan(Duration.times(doubt, 2), Limits.clockUncertainty)) return
      asked = own.monotonicTimeNanosUnsafe()
      yield* Effect.ignore(Effect.timeout(measure, timeout))
      const left = yield* uncertain
      if (Duration.isGreaterThan(left, Limits.clockUncertainty)) {
        yield* Effect.logWarning(
          "The clock may differ too much from the database's; this node claims nothing until it is certain again"
        )
          .pipe(
            Effect.annotateLogs("seconds", Duration.toSeconds(left))
          )
      }
    })
    yield* Effect.forkScoped(Effect.repeat(measureIfNeeded, Schedule.spaced(checkEvery)))
    return Context.make(Clock.Clock, clock).pipe(
      Context.add(ClockUncertainty.ClockUncertainty, uncertain),
      Context.add(ClockUncertainty.UncertainClock, "the clock may be more than 2 seconds off the database's")
    ) as Context.Context<
      never
    >
  })
)
