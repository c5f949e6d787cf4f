/**
 * SIGINT and SIGTERM. A program that waits for `Signals` shuts itself down; any other program is interrupted. A second signal
 * during a shutdown ends the process at once.
 */
import { Context, Effect, type Fiber, Runtime } from "effect"

/** Returns when the process gets SIGINT or SIGTERM. */
export const Signals = Context.Reference<Effect.Effect<void>>("@outdial/server/serve/Signals", {
  defaultValue: () => Effect.never
})

/** A terminal signals a whole process group, and a parent may forward the signal: within this time it is the same signal. */
const duplicateWindowMillis = 500

const exitOfInterrupted = 130

/** Runs the program of a process. */
export const runMain = <A, E>(program: Effect.Effect<A, E>): void => {
  let waiting: (() => void) | undefined
  const requested = Effect.callback<void>((resume) => {
    waiting = () => resume(Effect.void)
  })
  const run = Runtime.makeRunMain(({ fiber, teardown }) => {
    let isRequested = false
    const listen = listener(fiber, () => waiting)
    const onSignal = () => {
      isRequested = true
      listen()
    }
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
    fiber.addObserver((exit) => {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal)
      teardown(exit, (code) => {
        // Without process.exit, Node flushes its output.
        if (isRequested || code !== 0) process.exit(code)
      })
    })
  })
  run(Effect.provideService(program, Signals, requested), { disableErrorReporting: true })
}

const listener = (fiber: Fiber.Fiber<unknown, unknown>, waiting: () => (() => void) | undefined) => {
  let requestedAt: number | undefined
  return () => {
    const end = waiting()
    if (end === undefined) return fiber.interruptUnsafe(fiber.id)
    if (requestedAt === undefined) {
      requestedAt = performance.now()
      return end()
    }
    if (performance.now() - requestedAt > duplicateWindowMillis) process.exit(exitOfInterrupted)
  }
}
