/**
 * A WebSocket of a carrier: its messages as a stream, with bounds on silence and haste. Its handler continues to its end when the connection
 * is lost, and everything is closed when the handler has ended.
 */
import { type CarrierRoutes, Limits } from "@outdial/core"
import { Clock, Effect, Option, Stream } from "effect"
import { Socket } from "effect/socket"

interface Options extends Pick<CarrierRoutes.CarrierRoutes["Service"], "awaitClosing" | "hold"> {
  readonly handler: (socket: CarrierRoutes.Socket) => Effect.Effect<void>
}

/** Codes of RFC 6455 §7.4.1. */
const codes = { normal: 1000, goingAway: 1001, policyViolation: 1008 }

/** Completes the handshake and returns when the handler has ended. Fails when the handshake fails. */
export const serve: (socket: Socket.Socket, options: Options) => Effect.Effect<void, Socket.SocketError> = Effect
  .fnUntraced(function*(socket, { awaitClosing, handler, hold }) {
    const { pull } = yield* socket.reader
    const { write } = yield* socket.writer
    // Otherwise a message to a connection that is gone would wait for the next one.
    let isOpen = true
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isOpen = false
      })
    )
    const send = (message: string | Uint8Array<ArrayBuffer>) =>
      Effect.suspend(() => isOpen ? Effect.ignore(write(message)) : Effect.void)
    const close = (code = codes.normal) =>
      Effect.suspend(() => {
        if (!isOpen) return Effect.void
        isOpen = false
        return Effect.ignore(write(new Socket.CloseEvent(code)))
      })
    yield* Effect.forkScoped(Effect.andThen(awaitClosing, close(codes.goingAway)))
    yield* hold(handler({ messages: messagesOf({ pull, isOpen: () => isOpen, close }), send, close }))
  }, Effect.scoped)

interface Source {
  readonly pull: Socket.Reader["pull"]
  readonly isOpen: () => boolean
  readonly close: (code: number) => Effect.Effect<void>
}

/** Ends when the socket is closed, by either side; closes it when the peer says nothing at first, or too much. */
const messagesOf = ({ close, isOpen, pull }: Source): CarrierRoutes.Socket["messages"] =>
  Stream.suspend(() => {
    let isFirst = true
    let window = { second: -1, messages: 0 }
    const next = Effect.gen(function*() {
      const batch = yield* isFirst ? Effect.timeoutOption(pull, Limits.socketFirstMessage) : Effect.asSome(pull)
      isFirst = false
      const second = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const count = Option.match(batch, { onNone: () => 0, onSome: ({ length }) => length })
      window = { second, messages: (window.second === second ? window.messages : 0) + count }
      if (count > 0 && window.messages <= Limits.socketMessagesPerSecond && isOpen()) return batch
      yield* close(codes.policyViolation)
      return Option.none()
    })
    return Stream.fromEffectRepeat(next).pipe(
      Stream.takeWhile(Option.isSome),
      Stream.flatMap(({ value }) => Stream.fromIterable(value)),
      Stream.catch(() => Stream.empty)
    )
  })
