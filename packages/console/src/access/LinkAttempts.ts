/**
 * Counts the wrong links that an address sends. A token has 256 bits, so none can be guessed; the limit tells a client that tries to stop.
 * Behind a proxy all clients may share an address, so a right link is accepted even beyond the limit.
 */
import { RequestWindow } from "@outdial/core"
import { Clock, Effect } from "effect"

/** Wrong links of one address in 60 seconds. People send none: they open links. */
export const limit = 20

/** Addresses that are remembered. When there are more, the oldest is forgotten. */
const mostAddresses = 1000

/** The attempts that this process has seen. */
export const make = Effect.sync(() => {
  const windows = new Map<string, RequestWindow.RequestWindow>()
  /** Counts a wrong link. The verdict says whether there have been too many. */
  const failed = Effect.fnUntraced(function*(address: string) {
    const second = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const { verdict, window } = RequestWindow.take(windows.get(address), { limit, second })
    windows.delete(address)
    windows.set(address, window)
    for (const oldest of windows.keys()) {
      if (windows.size <= mostAddresses) break
      windows.delete(oldest)
    }
    return verdict
  })
  return { failed }
})
