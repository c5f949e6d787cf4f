/**
 * The clock of a process that shares a Postgres with others: the database's, so that all of them ask the rules about one
 * instant, whatever their own clocks say. Between measurements it goes with the process's monotonic clock, which nobody sets.
 * It never goes back: when it is found to be ahead it stands still until the database's has caught up.
 */
import { ClockUncertainty, Limits } from "@outdial/core"
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** How often the database is asked, and how often each time, of which the answer that came fastest is taken. */
const [every, samples] = [Duration.seconds(30), 5]

/** How often it is looked whether to ask again before that, because the clock has become uncertain. */
const checkEvery = Duration.seconds(1)

/** How far a computer's clock may go wrong, by what NTP takes for the worst: 500 nanoseconds in a millisecond. */
const drift = 2_000n

/** How long the answers are waited for. */
const timeout = Duration.seconds(5)

/** What the database's clock said. All in nanoseconds. */
interface Measurement {
  /** Its time when the monotonic clock said `at` and the process's own said `ownTime`. */
  readonly time: bigint
  readonly at: bigint
  readonly ownTime: bigint
  /** How far `time` may be off: half of the round trip. */
  readonly error: bigint
}

const nanosPerMilli = 1_000_000n

const abs = (nanos: bigint) => nanos < 0n ? -nanos : nanos
const max = (a: bigint, b: bigint) => a > b ? a : b

/** The database's clock as far as it is known, over the process's own. */
export const make = (own: Clock.Clock) => {
  let known: Measurement | undefined
  let shown = 0n

  const estimate = ({ at, time }: Measurement) => time + own.monotonicTimeNanosUnsafe() - at
  const now = () => shown = max(shown, known === undefined ? own.currentTimeNanosUnsafe() : estimate(known))

  /** What was measured, how far a clock may have drifted since, and how much the computer slept or its clock was set. */
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
    /** How far the clock may be off the database's, in nanoseconds; `undefined` before anything was measured. */
    uncertainty: (): bigint | undefined =>
      known === undefined ? undefined : errorOf(known) + max(0n, now() - estimate(known)),
    /** Takes a measurement for true that is better than what is known, or proves it wrong. */
    learn: (measured: Measurement) => {
      const isNeeded = known === undefined || errorOf(measured) <= errorOf(known) ||
        abs(estimate(measured) - estimate(known)) > errorOf(measured) + errorOf(known)
      if (isNeeded) known = measured
    }
  }
}

/** One question to the database, from the process's own clocks. The only place where SQL tells the time. */
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

/** The answer that came fastest. */
const best = (sql: SqlClient.SqlClient, own: Clock.Clock) =>
  Effect.map(
    Effect.replicateEffect(takeSample(sql, own), samples),
    (measured) => measured.reduce((best, one) => one.error < best.error ? one : best)
  )

/** How far the process's clock is ahead of the database's, and how far that may be off, in milliseconds. */
export const compare: Effect.Effect<
  { readonly ahead: number; readonly error: number },
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function*() {
  const { error, ownTime, time } = yield* best((yield* SqlClient.SqlClient).withoutTransforms(), yield* Clock.Clock)
  return { ahead: Number(ownTime - time) / 1e6, error: Number(error) / 1e6 }
})

/** The clock, and how far it may be off. The database is asked while the layer is built: a start without it fails. */
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
        yield* Effect.logWarning("The clock may be too far off the database's; nothing is claimed until it is not")
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
