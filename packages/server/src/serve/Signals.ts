/**
 * How a process is asked to end. A program that waits for the signal ends by itself when it comes; any other is interrupted.
 * A second signal to a program that is ending itself ends it at once.
 */
import { Context, Effect, type Fiber, Runtime } from "effect"

/** Returns when the process is asked to end. */
export const Signals = Context.Reference<Effect.Effect<void>>("@outdial/server/serve/Signals", {
  defaultValue: () => Effect.never
})

/** A terminal sends its signal to a whole group, and whoever started us may pass it on: so soon it is the same one. */
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
        // A process that ends by itself writes to its end what it has printed.
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
