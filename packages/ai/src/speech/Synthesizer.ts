/**
 * What services of speech have in common: one connection for a conversation, on which each text has a context of its own. A connection that
 * is lost is replaced when the next text is spoken; a text that was cut is spoken again, without the sound that was heard already.
 */
import { AudioFormat, TextToSpeech } from "@outdial/core"
import { type Cause, Duration, Effect, Exit, Layer, Queue, type Result, Scope, Semaphore, Stream } from "effect"
import { Socket } from "effect/socket"
import { lost, notValid, refused, type ServiceFailure, speechFailed } from "./ServiceFailure.ts"
import * as ServiceSocket from "./ServiceSocket.ts"

export interface Protocol {
  readonly address: (options: TextToSpeech.VoiceOptions) => ServiceSocket.Address
  /** What has the text spoken in this context. */
  readonly speak: (context: string, text: string, options: TextToSpeech.VoiceOptions) => ReadonlyArray<object>
  /** What has the service drop the rest. Default: it cannot; then the connection is given up, and another one made. */
  readonly cancel?: (context: string) => object
  /** Fails with what the service has reported of the connection; with `undefined` if the message is not valid. */
  readonly read: (message: unknown) => Result.Result<SpeechMessage | undefined, ServiceFailure | undefined>
}

export interface SpeechMessage {
  readonly context: string
  readonly audio?: Uint8Array
  /** The text was spoken to its end, or will not be. */
  readonly isDone: boolean
  readonly failure?: ServiceFailure
}

/** How long a service may take for the next piece of its speech. */
const audioTimeout = Duration.seconds(2)

/** The sound of one text that is spoken. */
interface Speech {
  readonly context: string
  readonly audio: Queue.Queue<Uint8Array, ServiceFailure | Cause.Done>
  bytesLeft: number
  isDone: boolean
}

interface Link {
  readonly connection: ServiceSocket.Connection
  readonly scope: Scope.Closeable
  contexts: number
  speech: Speech | undefined
  isGone: boolean
}

/** The service of this protocol. */
export const layer = (protocol: Protocol): Layer.Layer<TextToSpeech.TextToSpeech, never, Socket.WebSocketConstructor> =>
  Layer.effect(
    TextToSpeech.TextToSpeech,
    Effect.map(Socket.WebSocketConstructor, (constructor) => ({
      open: (options) => Effect.provideService(open(protocol)(options), Socket.WebSocketConstructor, constructor)
    }))
  )

const open = (protocol: Protocol) =>
  Effect.fnUntraced(function*(
    options: TextToSpeech.VoiceOptions
  ): Effect.fn.Return<
    TextToSpeech.Voice,
    TextToSpeech.SpeechFailed,
    Scope.Scope | Socket.WebSocketConstructor
  > {
    const address = protocol.address(options)
    const { service } = address
    const services = yield* Effect.context<Scope.Scope | Socket.WebSocketConstructor>()
    const whole = yield* Effect.scope
    let link: Link | undefined

    const reading = (link: Link) =>
      link.connection.next.pipe(
        Effect.flatMap((message) => Effect.fromResult(protocol.read(message))),
        Effect.mapError((failure) => failure ?? notValid(service)),
        Effect.flatMap((message) => heard(link, message)),
        Effect.forever,
        Effect.catch((failure) =>
          Effect.suspend(() => {
            link.isGone = true
            return link.speech === undefined ? Effect.void : Queue.fail(link.speech.audio, failure)
          })
        )
      )

    const heard = ({ speech }: Link, message: SpeechMessage | undefined): Effect.Effect<unknown, ServiceFailure> => {
      // The rest of a text that was interrupted may still come.
      if (message === undefined || speech === undefined || message.context !== speech.context) return Effect.void
      const { audio, failure, isDone } = message
      speech.bytesLeft -= audio?.length ?? 0
      if (speech.bytesLeft < 0) return Effect.fail(refused(service, "it speaks for far too long"))
      speech.isDone ||= isDone
      return Effect.andThen(
        audio === undefined || audio.length === 0 ? Effect.void : Queue.offer(speech.audio, audio),
        failure !== undefined ? Queue.fail(speech.audio, failure) : isDone ? Queue.end(speech.audio) : Effect.void
      )
    }

    const connect = Effect.gen(function*() {
      const scope = yield* Scope.fork(whole)
      const connection = yield* ServiceSocket.connect(address).pipe(
        Scope.provide(scope),
        Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, Exit.void))
      )
      const made: Link = { connection, scope, contexts: 0, speech: undefined, isGone: false }
      yield* Effect.forkIn(reading(made), scope)
      link = made
      return made
    })

    const drop = Effect.suspend(() => {
      const dropped = link
      link = undefined
      return dropped === undefined ? Effect.void : Scope.close(dropped.scope, Exit.void)
    })

    /** One at a time: the next text waits for a connection that is being made. */
    const one = yield* Semaphore.make(1)
    const linked = one.withPermits(1)(
      Effect.suspend(() => link !== undefined && !link.isGone ? Effect.succeed(link) : Effect.andThen(drop, connect))
    )

    /** Has the rest dropped, if there is one. */
    const ended = (at: Link, { context, isDone }: Speech) =>
      Effect.suspend(() => {
        at.speech = undefined
        if (isDone || at.isGone || at !== link) return Effect.void
        if (protocol.cancel !== undefined) return at.connection.send(JSON.stringify(protocol.cancel(context)))
        return Effect.andThen(drop, Effect.forkIn(Effect.ignore(linked), whole))
      }).pipe(Effect.ignore)

    const begun = (text: string) =>
      Effect.gen(function*() {
        const at = yield* linked
        const audio = yield* Queue.unbounded<Uint8Array, ServiceFailure | Cause.Done>()
        const speech: Speech = {
          context: String(at.contexts += 1),
          audio,
          bytesLeft: TextToSpeech.mostSpeech(text) * AudioFormat.bytesPerMilli(options.format),
          isDone: false
        }
        yield* Effect.acquireRelease(Effect.sync(() => at.speech = speech), () => ended(at, speech))
        yield* Effect.forEach(
          protocol.speak(speech.context, text, options),
          (message) => at.connection.send(JSON.stringify(message)),
          { discard: true }
        )
        return Stream.fromQueue(audio)
      })

    /** Without the first bytes of it, which were heard. */
    const spoken = (
      text: string,
      { mayRetry, skipped }: { readonly skipped: number; readonly mayRetry: boolean }
    ): Stream.Stream<Uint8Array, ServiceFailure, Socket.WebSocketConstructor> => {
      let bytes = 0
      return Stream.unwrap(begun(text)).pipe(
        Stream.timeoutOrElse({
          duration: audioTimeout,
          orElse: () => Stream.fail(lost(service, "it does not speak"))
        }),
        Stream.flatMap((piece) => {
          const rest = piece.subarray(Math.max(0, skipped - bytes))
          bytes += piece.length
          return rest.length === 0 ? Stream.empty : Stream.succeed(rest)
        }),
        Stream.catch((failure: ServiceFailure) =>
          mayRetry && failure.isLost
            ? Stream.unwrap(
              Effect.logWarning(`${failure.message}; it is connected again`).pipe(
                Effect.andThen(drop),
                Effect.as(spoken(text, { skipped: Math.max(skipped, bytes), mayRetry: false }))
              )
            )
            : Stream.fail(failure)
        )
      )
    }

    yield* Effect.retry(linked, { times: 1, while: ({ isLost }) => isLost }).pipe(Effect.mapError(speechFailed))
    return {
      speak: (text) =>
        spoken(text, { skipped: 0, mayRetry: true }).pipe(
          Stream.mapError(speechFailed),
          Stream.provideContext(services)
        )
    }
  })
