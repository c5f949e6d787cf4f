/** Corrects the times in storage after the clock was set back, so that nothing waits until the wrong time comes. */
import { DateTime, Effect, Layer } from "effect"
import { ClockSteps } from "../time/ClockSteps.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { ClockStore } from "../time/ClockStore.ts"

/** Runs concurrently with the loops, which claim nothing until it is done. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const accountStore = yield* AccountStore
  const clockStore = yield* ClockStore
  const { setBack, settled } = yield* ClockSteps

  const recover = Effect.gen(function*() {
    yield* setBack
    const now = yield* DateTime.now
    const accounts = yield* accountStore.list
    yield* Effect.forEach(accounts, ({ id }) => clockStore.setBack({ accountId: id, now }), { discard: true })
    yield* settled
  })
  yield* Effect.forkScoped(
    recover.pipe(
      Effect.catchCause((cause) =>
        Effect.logError("Times written by a wrong clock could not be corrected; this is retried", cause).pipe(
          Effect.andThen(Effect.sleep("5 seconds"))
        )
      ),
      Effect.forever
    )
  )
}))
