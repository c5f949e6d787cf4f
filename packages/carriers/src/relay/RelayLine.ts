/**
 * A line of a conversation over a relay's socket. It takes the socket after the `setup` frame, which its owner has checked, and lives as
 * long as the scope.
 */
import type { Conversation, Conversations, PhoneNumber } from "@outdial/core"
import { type Cause, Clock, Duration, Effect, Queue, type Scope, Stream } from "effect"
import * as Playback from "./Playback.ts"
import { decode, encode, type RelayCommand, type RelayDialect, type RelayFrame } from "./RelayFrames.ts"

export interface RelayLineOptions {
  readonly dialect: RelayDialect
  /** The frames after `setup`; ends with the socket. */
  readonly frames: Stream.Stream<string>
  readonly send: (frame: string) => Effect.Effect<void>
  readonly close: Effect.Effect<void>
  /** Ends the call after the session was told to end, where that does not end it. */
  readonly hangUp: Effect.Effect<void>
  /**
   * Returns when the call of a socket that was lost has ended, or will not be connected again. Until then the line is silent, and a process
   * that the call is connected to continues the conversation. Default: the call ends with its socket.
   */
  readonly lost?: Effect.Effect<void>
  /**
   * How the carrier is asked to connect the call to another process: by what the request that follows the session is told, or by closing
   * the socket as if it was lost. Default: the call cannot move.
   */
  readonly moves?: { readonly handoffData: string } | "by_closing"
  /**
   * How the carrier is asked to connect the call with a number: by what the request that follows the session is told, or by a command, which
   * returns whether it will. Default: the call cannot be transferred.
   */
  readonly transfers?:
    | { readonly handoffData: (number: PhoneNumber.PhoneNumber) => string }
    | { readonly command: (number: PhoneNumber.PhoneNumber) => Effect.Effect<boolean> }
}

type Input =
  | Playback.Input
  | { readonly _tag: "Frame"; readonly frame: RelayFrame }
  | { readonly _tag: "Lost" }

export const make = Effect.fnUntraced(function*(
  { close, dialect, frames, hangUp, lost = Effect.void, moves, send, transfers }: RelayLineOptions
): Effect.fn.Return<Conversations.TextLine, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const events = yield* Queue.unbounded<Conversation.LineEvent, Cause.Done>()
  const inputs = yield* Queue.unbounded<Input, Cause.Done>()
  const tell = (command: RelayCommand) => send(encode(dialect, command))
  let playback = Playback.make(dialect)
  let wakeAt = Infinity
  let hasWarned = false
  let isLost = false

  const play = Effect.fnUntraced(function*(input: Playback.Input) {
    const next = Playback.step(playback, input, clock.currentTimeMillisUnsafe())
    playback = next.playback
    wakeAt = next.wakeAt
    for (const { interruptible, text } of next.send) yield* tell({ type: "text", token: text, interruptible })
    yield* Queue.offerAll(events, next.events)
  })

  const receive = (frame: RelayFrame): Effect.Effect<unknown> => {
    switch (frame.type) {
      case "prompt":
        return Queue.offer(events, { _tag: "Heard", text: frame.voicePrompt, isFinal: frame.last !== false })
      case "dtmf":
        return Queue.offer(events, { _tag: "Digits", digits: frame.digit })
      case "interrupt":
        return play({
          _tag: "Interrupted",
          heard: frame.utteranceUntilInterrupt ?? "",
          millis: frame.durationUntilInterruptMs ?? undefined
        })
      case "info":
        if (frame.name === "tokensPlayed") return play({ _tag: "Played", text: String(frame.value) })
        // While the agent speaks, the relay decides whether it is an interruption.
        return frame.name === "clientSpeaking" && frame.value === "on" && !Playback.isSpeaking(playback)
          ? Queue.offer(events, { _tag: "SpeechStarted" })
          : Effect.void
      case "error": {
        if (hasWarned) return Effect.void
        hasWarned = true
        // Behind the colon it repeats the message: what the agent says.
        return Effect.logWarning("The relay refused a message", frame.description?.split(":")[0])
      }
      case "setup":
      case "unknown":
        return Effect.void
      default:
        return frame satisfies never
    }
  }

  const next = Effect.suspend(() =>
    Effect.timeoutOrElse(Queue.take(inputs), {
      duration: Duration.millis(Math.max(0, wakeAt - clock.currentTimeMillisUnsafe())),
      orElse: () => Effect.succeed<Input>({ _tag: "Time" })
    })
  )

  yield* frames.pipe(
    Stream.runForEach((text) => Queue.offer(inputs, { _tag: "Frame", frame: decode(text) })),
    Effect.andThen(Queue.offer(inputs, { _tag: "Lost" })),
    Effect.andThen(lost),
    Effect.ensuring(Queue.end(inputs)),
    Effect.forkScoped
  )
  const unheard = play({ _tag: "Interrupted", heard: "", millis: 0 })
  const handle = (input: Input): Effect.Effect<unknown> => {
    switch (input._tag) {
      case "Frame":
        return receive(input.frame)
      case "Lost":
        isLost = true
        return play({ _tag: "Interrupted", heard: "" })
      default:
        // Nobody hears what is said to a socket that is lost.
        return isLost && input._tag === "Speak" ? Effect.andThen(play(input), unheard) : play(input)
    }
  }
  yield* Effect.forever(Effect.flatMap(next, handle)).pipe(
    Effect.ensuring(Queue.end(events)),
    Effect.exit,
    Effect.forkScoped
  )

  const end = (handoffData?: string) =>
    Effect.andThen(
      tell({ type: "end", ...(handoffData !== undefined && { handoffData }) }),
      Effect.asVoid(Queue.end(inputs))
    )

  return {
    events: Stream.fromQueue(events),
    speak: (utterance) => Effect.asVoid(Queue.offer(inputs, { _tag: "Speak", utterance })),
    stopSpeaking: Effect.asVoid(Queue.offer(inputs, { _tag: "Stop" })),
    press: (digits) => tell({ type: "sendDigits", digits }),
    hangUp: Effect.andThen(end(), hangUp),
    ...(moves !== undefined && {
      move: Effect.as(
        moves === "by_closing" ? Effect.andThen(Queue.end(inputs), close) : end(moves.handoffData),
        true
      )
    }),
    ...(transfers !== undefined && {
      transfer: (number: PhoneNumber.PhoneNumber) =>
        Effect.suspend(() => {
          if (isLost) return Effect.succeed(false)
          if ("handoffData" in transfers) return Effect.as(end(transfers.handoffData(number)), true)
          // The session goes on if it is refused.
          return Effect.tap(transfers.command(number), (isTransferred) => isTransferred ? end() : Effect.void)
        })
    }),
    release: close
  }
})
