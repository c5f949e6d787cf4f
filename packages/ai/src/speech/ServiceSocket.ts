/**
 * A connection to a speech service: a WebSocket with JSON messages, and audio in bytes. Everything that goes wrong with it is a
 * `ServiceFailure`. A service that does not read, or whose messages are too large, counts as lost.
 */
import { Effect, Redacted, type Scope } from "effect"
import { Socket } from "effect/socket"
import { lost, notValid, ofSocket, refused, type ServiceFailure } from "./ServiceFailure.ts"

export interface Address {
  /** The service, as messages name it. */
  readonly service: string
  /** Without secrets. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | Redacted.Redacted>>
}

export interface Connection {
  /** Does not wait for the service. */
  readonly send: (message: string | Uint8Array) => Effect.Effect<void, ServiceFailure>
  /** The next message, parsed. */
  readonly next: Effect.Effect<unknown, ServiceFailure>
}

/** Twice within the 10 seconds in which a voice agent must be opened. */
const openTimeout = "4 seconds"

/** Most bytes that wait for the service: a minute of telephony. */
const mostUnsent = 512 * 1024

/** Longest message of a service, in characters: a minute of its speech in base64. */
const longestMessage = 4 * 1024 * 1024

/** Connects, until the scope closes. */
export const connect = Effect.fnUntraced(function*(
  { headers, service, url }: Address
): Effect.fn.Return<Connection, ServiceFailure, Scope.Scope | Socket.WebSocketConstructor> {
  const construct = yield* Socket.WebSocketConstructor
  let webSocket: Socket.WebSocketLike | undefined
  const opened = Effect.acquireRelease(
    Effect.try({
      try: () => webSocket = construct(url, { headers: plain(headers) }),
      catch: (cause) => new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })
    }),
    (socket) => Effect.sync(() => socket.close(1000))
  )
  const socket = yield* Socket.fromWebSocket(opened, { openTimeout })
  const explained = Effect.mapError((error: Socket.SocketError) => ofSocket(service, error))
  const { pull } = yield* explained(socket.reader)
  const { write } = yield* socket.writer
  const waiting: Array<string | Uint8Array> = []

  return {
    send: (message) =>
      unsent(webSocket) > mostUnsent ? Effect.fail(lost(service, "it does not read")) : explained(write(message)),
    next: Effect.gen(function*() {
      if (waiting.length === 0) waiting.push(...(yield* explained(pull)))
      const message = waiting.shift()
      if (typeof message !== "string") return yield* notValid(service)
      if (message.length > longestMessage) return yield* refused(service, "its answer is too long")
      return yield* parsed(service, message)
    })
  }
})

const parsed = (service: string, message: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(message),
    catch: () => refused(service, "its answer is not JSON: check its address")
  })

const plain = (headers: Address["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
  )

/** Browsers' sockets and those of `ws` count the bytes that wait. */
const unsent = (socket: Socket.WebSocketLike | undefined): number =>
  socket !== undefined && "bufferedAmount" in socket ? Number(socket.bufferedAmount) : 0
