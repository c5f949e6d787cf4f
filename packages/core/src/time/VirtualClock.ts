/**
 * A clock that moves only when it is told to, for work that takes virtual time. It knows when everything under it waits, and stands still
 * while work in real time is done, such as the answer of a model. It does not see real waiting that is not marked as such.
 */
import { Clock, Context, Duration, Effect, Latch, Scheduler } from "effect"

export interface VirtualClock {
  /** The clock and the scheduler; whatever is to take virtual time runs with both. */
  readonly services: Context.Context<never>
  /** Returns when every fiber under the clock waits, and no work in real time is going on. */
  readonly settled: Effect.Effect<void>
  /** The next time for which a fiber waits, in epoch milliseconds. */
  readonly nextAt: () => number | undefined
  /** Moves on to that time, never back, and wakes the fibers that waited until then. */
  readonly moveTo: (millis: number) => Effect.Effect<void>
  /** Marks work that takes real time. Give it the clock of its own. */
  readonly during: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The same for work that lasts as long as a scope. */
  readonly begin: Effect.Effect<() => void>
}

interface Sleep {
  readonly at: number
  readonly latch: Latch.Latch
}

/** Starts at `startsAt`, in epoch milliseconds. */
export const make = (startsAt: number): Effect.Effect<VirtualClock> =>
  Effect.map(Scheduler.Scheduler, (below) => {
    /** By time, the latest first. */
    const sleeps: Array<Sleep> = []
    let now = startsAt
    /** Tasks that will run, and works in real time. */
    let busy = 0
    let waiting: ReadonlyArray<() => void> = []
    const dispatcher = below.makeDispatcher()

    const ended = () => {
      busy -= 1
      // Looked at later: what has ended may be followed by other work at once.
      if (busy === 0) dispatcher.scheduleTask(notify, 0)
    }
    const notify = () => {
      if (busy > 0) return
      const resumed = waiting
      waiting = []
      for (const resume of resumed) resume()
    }
    const begin = Effect.sync(() => {
      busy += 1
      let isOver = false
      return () => {
        if (!isOver) ended()
        isOver = true
      }
    })

    const scheduler: Scheduler.Scheduler = {
      executionMode: below.executionMode,
      shouldYield: (fiber) => below.shouldYield(fiber),
      makeDispatcher: () => {
        const own = below.makeDispatcher()
        return {
          flush: () => own.flush(),
          scheduleTask: (task, priority) => {
            busy += 1
            own.scheduleTask(() => {
              try {
                task()
              } finally {
                ended()
              }
            }, priority)
          }
        }
      }
    }

    const nanos = () => BigInt(Math.round(now * 1_000)) * 1_000n
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.suspend(() => {
          const at = now + Duration.toMillis(duration)
          if (at <= now) return Effect.yieldNow
          const sleep = { at, latch: Latch.makeUnsafe() }
          const index = sleeps.findIndex((other) => other.at <= at)
          sleeps.splice(index < 0 ? sleeps.length : index, 0, sleep)
          return Effect.ensuring(
            sleep.latch.await,
            Effect.sync(() => {
              const index = sleeps.indexOf(sleep)
              if (index >= 0) sleeps.splice(index, 1)
            })
          )
        })
    }

    return {
      services: Context.make(Clock.Clock, clock).pipe(Context.add(Scheduler.Scheduler, scheduler)),
      begin,
      during: (work) => Effect.acquireUseRelease(begin, () => work, (end) => Effect.sync(end)),
      nextAt: () => sleeps.at(-1)?.at,
      moveTo: (millis) =>
        Effect.sync(() => {
          now = Math.max(now, millis)
          while ((sleeps.at(-1)?.at ?? Infinity) <= now) sleeps.pop()?.latch.openUnsafe()
        }),
      settled: Effect.callback<void>((resume) => {
        const done = () => resume(Effect.void)
        waiting = [...waiting, done]
        if (busy === 0) dispatcher.scheduleTask(notify, 0)
        return Effect.sync(() => {
          waiting = waiting.filter((other) => other !== done)
        })
      })
    }
  })
