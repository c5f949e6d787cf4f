/**
 * The system's clock, guarded against steps, for a process without a database server's clock. Time advances with the monotonic clock. A
 * system clock that is off by more than `Limits.clockUncertainty` has been set: it is followed only after it has kept its new time for
 * `Limits.clockStepHeld`. Until then the clock is uncertain, so that nothing is dialed, expired or deleted.
 */
import { Clock, Context, Duration, Effect, Latch, Layer, Schedule } from "effect"
import * as Limits from "../domain/Limits.ts"
import { ClockSteps } from "./ClockSteps.ts"
import { ClockUncertainty } from "./ClockUncertainty.ts"

/** Time since the machine was started, suspended or not. */
export interface Uptime {
  /** Identifies this start of the machine; empty if unknown. */
  readonly boot: string
  readonly nanos: bigint
}

/** The state that outlives the process. */
export interface Known {
  /** The clock's time when the machine had been up for `uptime`. In nanoseconds since 1970. */
  readonly time: bigint
  readonly uptime: Uptime
  /** When a step was followed last. */
  readonly steppedAt?: bigint
  /** The clock was set back, and storage has not been brought back yet. */
  readonly isSetBack: boolean
}

export interface Options {
  /** Without it, a suspended machine cannot be distinguished from a clock that was set. */
  readonly uptime?: () => Uptime
  /** The state at the end of the previous process. */
  readonly known?: Known
  /** Stores the state, several times a minute and at the end. */
  readonly keep?: (known: Known) => Effect.Effect<void>
}

/** The result of comparing the system's clock. `by` is how far it was set, in nanoseconds; less than 0 is back. */
export type Change = { readonly _tag: "Stepped" | "Undone" | "Followed"; readonly by: bigint }

const toNanos = Duration.toNanosUnsafe
const nanosPerMilli = 1_000_000n
const tolerance = toNanos(Limits.clockUncertainty)
const abs = (nanos: bigint) => nanos < 0n ? -nanos : nanos

/** The clock over the process's own. */
export const make = (own: Clock.Clock, { known, uptime }: Omit<Options, "keep"> = {}) => {
  const upNow = (): Uptime => uptime?.() ?? { boot: "", nanos: 0n }
  /** By the millisecond: Effect counts nanoseconds on for up to a second after the system's clock was set. */
  const system = () => BigInt(own.currentTimeMillisUnsafe()) * nanosPerMilli
  const start = begin(system(), upNow(), known)
  /** The clock showed `time` when the monotonic clock showed `at`. */
  let anchor = { time: start.time, at: own.monotonicTimeNanosUnsafe(), up: upNow().nanos }
  let shown = start.time
  let steppedAt = start.steppedAt
  let isSetBack = start.isSetBack
  /** The step in doubt: how far the system's clock is ahead of the monotonic one, and since when. */
  let step: { readonly offset: bigint; readonly since: bigint } | undefined

  const estimate = () => anchor.time + own.monotonicTimeNanosUnsafe() - anchor.at
  const now = () => {
    const at = estimate()
    return shown = at > shown ? at : shown
  }
  const off = () => system() - estimate()

  const setAnchor = (time: bigint) => {
    anchor = { time, at: own.monotonicTimeNanosUnsafe(), up: upNow().nanos }
  }

  /** Monotonic clocks may stop while the machine is suspended; its uptime does not. */
  const addSuspension = () => {
    const slept = upNow().nanos - anchor.up - (own.monotonicTimeNanosUnsafe() - anchor.at)
    if (uptime !== undefined && slept > tolerance) setAnchor(estimate() + slept)
  }

  const follow = (by: bigint) => {
    setAnchor(system())
    step = undefined
    if (by < 0n) {
      isSetBack = true
      shown = anchor.time
    }
    steppedAt = anchor.time
  }

  /** Compares the system's clock; returns what has changed since the last time. To be called about every second. */
  const look = (): Change | undefined => {
    addSuspension()
    const by = off()
    const at = own.monotonicTimeNanosUnsafe()
    if (abs(by) <= tolerance) {
      const wasInDoubt = step !== undefined
      step = undefined
      setAnchor(system())
      return wasInDoubt ? { _tag: "Undone", by } : undefined
    }
    const offset = system() - at
    if (step === undefined || abs(offset - step.offset) > tolerance) {
      step = { offset, since: at }
      return { _tag: "Stepped", by }
    }
    if (at - step.since < toNanos(Limits.clockStepHeld)) return undefined
    follow(by)
    return { _tag: "Followed", by }
  }

  const millis = () => Number(now() / nanosPerMilli)
  const clock: Clock.Clock = {
    currentTimeNanosUnsafe: now,
    currentTimeNanos: Effect.sync(now),
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    monotonicTimeNanosUnsafe: () => own.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: own.monotonicTimeNanos,
    sleep: (duration) => own.sleep(duration)
  }

  return {
    clock,
    look,
    uncertainty: (): Duration.Duration => isSetBack ? Duration.infinity : Duration.nanos(abs(off())),
    mayRemove: (): boolean =>
      !isSetBack && abs(off()) <= tolerance &&
      (steppedAt === undefined || now() - steppedAt >= toNanos(Limits.removalRest)),
    isSetBack: () => isSetBack,
    settle: () => {
      isSetBack = false
    },
    known: (): Known => ({
      time: now(),
      uptime: upNow(),
      isSetBack,
      ...(steppedAt !== undefined && { steppedAt })
    })
  }
}

/** The clock's first time. The uptime determines it as long as the machine has not been restarted. */
const begin = (system: bigint, up: Uptime, known: Known | undefined): Omit<Known, "uptime"> => {
  if (known === undefined) return { time: system, isSetBack: false }
  const { time, uptime, ...rest } = known
  const isSameBoot = up.boot !== "" && up.boot === uptime.boot && up.nanos >= uptime.nanos
  if (isSameBoot) return { ...rest, time: time + up.nanos - uptime.nanos }
  if (system < time) return { ...rest, time }
  // The machine may have been off that long. If it was not, data with a retention must not be deleted at once.
  const isLong = system - time > toNanos(Limits.removalRest)
  return { ...rest, time: system, ...(isLong && { steppedAt: system }) }
}

/** How often the system's clock is compared, and how often the state is stored. */
const [lookEvery, keepEvery] = [Duration.seconds(1), Duration.seconds(10)]

/** The clock, how far it may be off, and its steps, which are logged. */
export const layer = ({ keep = () => Effect.void, ...options }: Options = {}): Layer.Layer<never> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const own = yield* Clock.Clock
      const guarded = make(own, options)
      const setBack = yield* Latch.make(guarded.isSetBack())
      const kept = Effect.suspend(() => keep(guarded.known()))

      const look = Effect.gen(function*() {
        const change = guarded.look()
        if (change === undefined) return
        yield* Effect.logWarning(explained(change))
        if (guarded.isSetBack()) yield* setBack.open
        yield* kept
      })
      yield* look
      yield* kept
      yield* Effect.addFinalizer(() => kept)
      yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
      yield* Effect.forkScoped(Effect.repeat(kept, Schedule.spaced(keepEvery)))

      return Context.make(Clock.Clock, guarded.clock).pipe(
        Context.add(ClockUncertainty, Effect.sync(guarded.uncertainty)),
        Context.add(ClockSteps, {
          mayRemove: Effect.sync(guarded.mayRemove),
          setBack: setBack.await,
          settled: Effect.gen(function*() {
            guarded.settle()
            yield* setBack.close
            yield* kept
          })
        })
      ) as Context.Context<never>
    })
  )

const explained = ({ _tag, by }: Change): string => {
  const size = Duration.format(Duration.seconds(Math.round(Number(abs(by)) / 1e9)))
  const direction = by < 0n ? "back" : "forward"
  const held = Duration.format(Limits.clockStepHeld)
  switch (_tag) {
    case "Stepped":
      return `The system clock was set ${direction} by ${size}. Outdial follows its monotonic clock; it dials, expires and deletes ` +
        `nothing until the system clock is correct again or has kept its new time for ${held}`
    case "Undone":
      return "The system clock is correct again; Outdial continues"
    case "Followed":
      return `The system clock has kept its new time for ${held}. Outdial follows it ${direction} by ${size}, and deletes no old ` +
        `data for ${Duration.format(Limits.removalRest)}`
    default:
      return _tag satisfies never
  }
}
