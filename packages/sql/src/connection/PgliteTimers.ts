/** Bounds the timers of the Postgres inside PGlite, so that a system clock that was set back far does not keep the process busy. */
import type { Extension } from "@electric-sql/pglite"

/**
 * Postgres sets a timer for an instant of the system clock, and sets it again if it fires too early. After each statement it sets one
 * to flush its statistics in 10 seconds. After the clock is set back, that instant is as far ahead as the clock was set back, and
 * beyond 24.8 days a `setTimeout` fires after 1 ms: Node would print a warning each time. No setting of Postgres turns this off.
 */
const longest = 60_000

/** The part of Emscripten's options that loads the WebAssembly; `_setitimer_js` sets a timer of Postgres, or clears it with 0. */
interface Loading {
  readonly instantiateWasm: (
    imports: { readonly env: { _setitimer_js: (which: number, millis: number) => number } },
    done: unknown
  ) => unknown
}

/** An extension of PGlite that changes only how timers are set. */
export const boundedTimers: Extension = {
  name: "outdial_bounded_timers",
  setup: (_, options: Loading) => {
    const instantiateWasm: Loading["instantiateWasm"] = (imports, done) => {
      const set = imports.env._setitimer_js
      imports.env._setitimer_js = (which, millis) => set(which, Math.min(millis, longest))
      return options.instantiateWasm(imports, done)
    }
    return Promise.resolve({ emscriptenOpts: { ...options, instantiateWasm } })
  }
}
