/** Subscribing to events for hosts that do not use Effect. */
import { Data, Effect, Exit, Scope } from "effect"
import type { SubscribableKind } from "../domain/Event.ts"
import type { AccountId } from "../domain/Ids.ts"
import { Events } from "../event/Events.ts"
import { type HostEvent, hostEvent } from "./Types.ts"

/**
 * Handles an event. When it throws, rejects or takes longer than 45 seconds, it is called with the event again later. After 45 seconds
 * `signal` is aborted; this process does not call it with the same event again before the promise has settled.
 */
export type HostHandler = (event: HostEvent, context: { readonly signal: AbortSignal }) => void | Promise<void>

/** The error that a handler threw. */
class HandlerFailed extends Data.TaggedError("HandlerFailed")<{ readonly cause: unknown }> {}

/** A subscription whose handler is running. */
export interface HostSubscription extends AsyncDisposable {
  /** Stops calling the handler. Later events wait for the next handler of this name. */
  readonly close: () => Promise<void>
}

export interface SubscribeOptions {
  /** The kinds of event to handle. Default: `call.completed` and `call.not_connected`. */
  readonly events?: ReadonlyArray<SubscribableKind>
}

/** The subscription, open until it is closed or the engine is. */
export const subscribe = Effect.fnUntraced(function*(
  accountId: AccountId,
  name: string,
  handler: HostHandler,
  options: SubscribeOptions
) {
  const events = yield* Events
  const scope = yield* Scope.make()
  // A promise cannot be interrupted. While a promise from an earlier attempt is pending, the next attempt waits for it:
  // no handler gets an event twice at a time, and a slow handler still completes the event.
  const running = new Map<string, Promise<void>>()
  const run = (event: HostEvent, signal: AbortSignal) => {
    const earlier = running.get(event.id)
    if (earlier !== undefined) return earlier
    const promise = Promise.resolve(handler(event, { signal }))
    const done = () => running.delete(event.id)
    running.set(event.id, promise)
    promise.then(done, done)
    return promise
  }
  const handle = (event: HostEvent) =>
    Effect.tryPromise({
      try: (signal) => run(event, signal),
      catch: (cause) => new HandlerFailed({ cause })
    })
  yield* events.subscribe(accountId, name, (event) => handle(hostEvent(event)), options.events).pipe(
    Scope.provide(scope)
  )
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const subscription: HostSubscription = { close, [Symbol.asyncDispose]: close }
  return subscription
})
