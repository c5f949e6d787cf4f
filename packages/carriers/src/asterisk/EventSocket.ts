/**
 * The socket on which Asterisk tells of the calls of this node. It is opened again when it is lost. A heartbeat that Asterisk sends back on
 * it proves that it lives: a connection can be dead for long before it is closed.
 */
import { type Cause, Effect, Latch, Queue, Redacted } from "effect"
import { Base64 } from "effect/encoding"
import type { AriApi, AriOptions } from "./AriApi.ts"
import * as AriEvents from "./AriEvents.ts"

/**
 * `open`: a heartbeat has come within the last seconds. Otherwise nobody would talk to who answers. `refused`: Asterisk does not accept the user
 * and the password.
 */
export type EventSocketState = "closed" | "open" | "refused"

export interface EventSocketOptions extends AriOptions {
  readonly api: AriApi
  readonly app: string
  /** Handles one event, in their order. It must not wait: Asterisk drops a socket that does not take an event within 100 milliseconds. */
  readonly handle: (event: AriEvents.Event) => Effect.Effect<void>
  /** What is to be done when the socket was opened, at first and again: events meanwhile are lost. */
  readonly opened: Effect.Effect<void>
}

const openTimeout = "5 seconds"

const heartbeatEvery = "5 seconds"

/** How long a heartbeat may take to come back. */
const heartbeatTimeout = "5 seconds"

const reconnectAfter = "500 millis"

/** Node's WebSocket takes headers, which those of browsers do not: in an address, the password would be in logs. */
const Socket = WebSocket as unknown as new(
  url: string,
  options: { readonly headers: Readonly<Record<string, string>> }
) => WebSocket

/** How long a process that starts waits for the socket: what it dials before is given back. */
const firstWithin = "3 seconds"

/**
 * Opens the socket, and keeps it open for the life of the scope. Returns its state at any time, once it is open or that has failed for 3
 * seconds.
 */
export const make = Effect.fnUntraced(
  function*({ api, app, ariUrl, handle, opened, password, user }: EventSocketOptions) {
    let state: EventSocketState = "closed"
    let hasWarned = false
    const first = Latch.makeUnsafe(false)
    const url = `${ariUrl.replace(/^http/, "ws")}/events?app=${encodeURIComponent(app)}`
    const headers = { authorization: `Basic ${Base64.encode(`${user}:${Redacted.value(password)}`)}` }

    /** The messages of a new socket, from when it is open until it is closed. */
    const connect = Effect.gen(function*() {
      const messages = yield* Queue.unbounded<string, Cause.Done>()
      const ready = Latch.makeUnsafe(false)
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => new Socket(url, { headers })),
        (socket) => Effect.sync(() => socket.close())
      )
      socket.addEventListener("open", () => ready.openUnsafe())
      socket.addEventListener("message", ({ data }) => Queue.offerUnsafe(messages, String(data)))
      const close = () => {
        Queue.endUnsafe(messages)
        ready.openUnsafe()
      }
      socket.addEventListener("close", close)
      socket.addEventListener("error", close)
      yield* Effect.timeout(ready.await, openTimeout)
      return messages
    })

    /** Ends when a heartbeat does not come back. */
    const heartbeats = (beat: Latch.Latch) =>
      Effect.gen(function*() {
        beat.closeUnsafe()
        yield* api.heartbeat(app)
        yield* Effect.timeout(beat.await, heartbeatTimeout)
        yield* Effect.sleep(heartbeatEvery)
      }).pipe(Effect.forever)

    const session = Effect.gen(function*() {
      // The socket does not say why it is refused.
      yield* Effect.tapError(api.version, ({ status }) => {
        if (status === 401 || status === 403) state = "refused"
        return Effect.void
      })
      const messages = yield* connect
      const beat = Latch.makeUnsafe(false)
      const receive = Effect.gen(function*() {
        for (const text of yield* Queue.takeAll(messages)) {
          const event = AriEvents.decode(text)
          if (event?.type === "ChannelUserevent") beat.openUnsafe()
          else if (event !== undefined) yield* handle(event)
        }
      }).pipe(Effect.forever)
      const live = Effect.gen(function*() {
        yield* api.filterEvents(app)
        yield* api.heartbeat(app)
        yield* Effect.timeout(beat.await, heartbeatTimeout)
        state = "open"
        first.openUnsafe()
        if (hasWarned) yield* Effect.logInfo("Asterisk's events come again")
        hasWarned = false
        yield* Effect.forkScoped(opened)
        return yield* heartbeats(beat)
      })
      return yield* Effect.raceFirst(receive, live)
    }).pipe(
      Effect.scoped,
      Effect.ensuring(Effect.sync(() => {
        if (state === "open") state = "closed"
      })),
      Effect.catchCause((cause) => {
        if (hasWarned) return Effect.void
        hasWarned = true
        return Effect.logWarning("Asterisk's events do not come: no call is dialed until they do", cause)
      })
    )

    yield* session.pipe(Effect.andThen(Effect.sleep(reconnectAfter)), Effect.forever, Effect.forkScoped)
    yield* Effect.timeoutOption(first.await, firstWithin)
    return () => state
  }
)
