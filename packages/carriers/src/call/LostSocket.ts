/** What becomes of a conversation whose socket is lost. */
import { Effect } from "effect"

/** How long a conversation waits for its call to be connected again. */
const reconnectTimeout = "15 seconds"

/** Returns when the call of a lost socket has ended, or was not connected again in time. */
export const untilOver = (isOver: Effect.Effect<boolean, unknown>): Effect.Effect<void> =>
  Effect.orElseSucceed(isOver, () => false).pipe(
    Effect.delay("1 second"),
    Effect.repeat({ until: (over) => over }),
    Effect.timeoutOption(reconnectTimeout),
    Effect.asVoid
  )
