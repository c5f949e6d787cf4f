/**
 * An audio line over a carrier's socket for sound. It begins after the message that says which call it is, which its owner has checked, and
 * lives as long as the scope.
 */
import { AudioFormat, type AudioLine, type PhoneNumber } from "@outdial/core"
import { type Cause, Clock, Deferred, Duration, Effect, Latch, Queue, type Scope, Stream } from "effect"
import * as AudioPlayback from "./AudioPlayback.ts"
import * as AudioTime from "./AudioTime.ts"
import type { MediaDialect, MediaEvent } from "./MediaDialect.ts"

export interface MediaLineOptions {
  readonly dialect: MediaDialect
  readonly format: AudioFormat.AudioFormat
  /** The messages that follow; ends with the socket. */
  readonly messages: Stream.Stream<string | Uint8Array>
  readonly send: (message: string | Uint8Array<ArrayBuffer>) => Effect.Effect<void>
  readonly close: Effect.Effect<void>
  /** Ends the call. */
  readonly hangUp: Effect.Effect<void>
  readonly press: (digits: string) => Effect.Effect<void>
  /**
   * Returns when the call of a socket that was lost has ended, or will not be connected again. Until then the line is silent. Default: the
   * call ends with its socket.
   */
  readonly lost?: Effect.Effect<void>
  /** As of a line. The socket is closed afterwards if the call has moved. */
  readonly move?: Effect.Effect<boolean>
  readonly transfer?: (number: PhoneNumber.PhoneNumber) => Effect.Effect<boolean>
  /** Gets what either side says, from that time on, as of `AudioTime`. */
  readonly onSound?: (side: "agent" | "contact", sound: AudioPlayback.Heard) => void
}

type Input =
  | AudioPlayback.Input
  | { readonly _tag: "Message"; readonly message: string | Uint8Array }
  | { readonly _tag: "Lost" }

/** How long the contact's phone may send nothing before it counts as silent, in milliseconds. */
const gap = 200

/** How much later than expected sound may come, in milliseconds: the network's jitter. */
const jitter = 100

/** How late a process is whose messages may wait to be read, in milliseconds. */
const late = 50

/** What waits to be read, in messages: 5 seconds of frames. */
const mostUnread = 250

export const make = Effect.fnUntraced(function*(
  { close, dialect, format, hangUp, lost = Effect.void, messages, move, onSound, press, send, transfer }:
    MediaLineOptions
): Effect.fn.Return<AudioLine.AudioLine, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const now = AudioTime.of(clock)
  const events = yield* Queue.unbounded<AudioLine.AudioEvent, Cause.Done>()
  const inputs = yield* Queue.unbounded<Input, Cause.Done>()
  let playback = AudioPlayback.make({ format, ...dialect })
  let wakeAt = 0
  let isFull = false
  let isLost = false
  let hasWarned = false
  /** The line was lost with marks that are dropped, and whose words are not among those that are being cleared. */
  let dropsMarks = false
  /** What the contact said up to then was reported. */
  let heardUntil = now()
  /** When silence is put if nothing comes. */
  let silentAt = heardUntil + gap
  let isDelayed = false
  /** The calls that wait for room, and for what was played. */
  const playing = new Set<Deferred.Deferred<void>>()
  const clearing = new Set<Deferred.Deferred<number>>()

  // Who gets an answer may ask again at once.
  const release = () => {
    const waiting = [...playing]
    playing.clear()
    for (const one of waiting) Deferred.doneUnsafe(one, Effect.void)
  }

  const cleared = (millis: number) => {
    const waiting = [...clearing]
    clearing.clear()
    for (const [index, one] of waiting.entries()) Deferred.doneUnsafe(one, Effect.succeed(index === 0 ? millis : 0))
  }

  const play = Effect.fnUntraced(function*(input: AudioPlayback.Input) {
    const next = AudioPlayback.step(playback, input, now())
    playback = next.playback
    wakeAt = next.wakeAt
    isFull = next.isFull
    for (const command of next.send) {
      const message = dialect.encode(command)
      if (message.length > 0 && !isLost) yield* send(message)
    }
    for (const mark of next.marked) yield* Queue.offer(events, { _tag: "Marked", mark })
    for (const sound of next.heard) onSound?.("agent", sound)
    if (next.cleared !== undefined) {
      if (isLost && clearing.size === 0) yield* Queue.offer(events, { _tag: "Silenced", played: next.cleared })
      cleared(next.cleared)
      if (dropsMarks) yield* Queue.offer(events, { _tag: "Silenced", played: 0 })
      dropsMarks = false
    }
    if (!isFull || input._tag === "Clear") release()
  })

  const hear = (audio: Uint8Array) => {
    // Nobody reads it, or not fast enough.
    if (Queue.sizeUnsafe(events) < mostUnread) Queue.offerUnsafe(events, { _tag: "Audio", audio })
    heardUntil += AudioFormat.millisOf(format, audio.length)
  }

  /** The contact was silent until then, in whole frames. */
  const hearSilence = (until: number) => {
    const millis = Math.floor((until - heardUntil) / AudioFormat.frameMillis) * AudioFormat.frameMillis
    if (millis > 0) hear(AudioFormat.silence(format, millis))
  }

  const receive = (event: MediaEvent | undefined): Effect.Effect<unknown> => {
    if (event === undefined) return Effect.void
    switch (event._tag) {
      case "Audio": {
        const at = now() - AudioFormat.millisOf(format, event.audio.length)
        if (at - heardUntil > jitter) hearSilence(at)
        onSound?.("contact", { at, audio: event.audio })
        hear(event.audio)
        silentAt = now() + gap
        isDelayed = false
        return Effect.void
      }
      case "Digits":
        return Queue.offer(events, event)
      case "Refused": {
        if (hasWarned) return Effect.void
        hasWarned = true
        return Effect.logWarning("The carrier refused a message about sound", event.problem)
      }
      case "Stopped":
        return Queue.end(inputs)
      default:
        return play(event)
    }
  }

  const time = Effect.suspend(() => {
    if (now() >= silentAt + late && !isDelayed) {
      // Messages may wait that came in time.
      isDelayed = true
      silentAt = now() + AudioFormat.frameMillis
    } else if (now() >= silentAt) {
      isDelayed = false
      hearSilence(now() - jitter)
      silentAt = now() + gap
    }
    return play({ _tag: "Time" })
  })

  /** Nobody hears what is given to a socket that is lost. */
  const lose = (input: AudioPlayback.Input): Effect.Effect<unknown> => {
    release()
    return input._tag === "Mark" ? Queue.offer(events, { _tag: "Silenced", played: 0 }) : Effect.void
  }

  const handle = (input: Input): Effect.Effect<unknown> => {
    switch (input._tag) {
      case "Message":
        return receive(dialect.decode(input.message))
      case "Lost":
        isLost = true
        dropsMarks = clearing.size > 0 && playback.waiting.some((piece) => "mark" in piece)
        return play({ _tag: "Clear" })
      case "Time":
        return time
      case "Play":
      case "Mark":
        return isLost ? lose(input) : play(input)
      default:
        return play(input)
    }
  }

  /** When the line wakes if nothing comes. */
  const dueAt = () => Math.min(wakeAt, silentAt)
  /** Opened when the line is to be woken before its sleep ends. */
  const earlier = Latch.makeUnsafe(false)
  let sleepsUntil = 0
  const sleep = Effect.suspend(() => {
    earlier.closeUnsafe()
    sleepsUntil = dueAt()
    return Effect.timeoutOption(earlier.await, Duration.millis(Math.max(0, sleepsUntil - now())))
  })

  /**
   * Most inputs only put off when the line is to be woken, so that one sleep serves many of them. A timeout for each input took a fifth of
   * the CPU time of a call (`npm run bench:asterisk`).
   */
  const wake = Effect.suspend(() => {
    if (now() < dueAt()) return sleep
    earlier.closeUnsafe()
    sleepsUntil = Infinity
    Queue.offerUnsafe(inputs, { _tag: "Time" })
    return earlier.await
  })

  const work = Effect.flatMap(Queue.take(inputs), handle).pipe(
    Effect.andThen(Effect.sync(() => dueAt() < sleepsUntil && earlier.openUnsafe()))
  )

  yield* messages.pipe(
    Stream.runForEach((message) => Queue.offer(inputs, { _tag: "Message", message })),
    Effect.andThen(Queue.offer(inputs, { _tag: "Lost" })),
    Effect.andThen(lost),
    Effect.ensuring(Queue.end(inputs)),
    Effect.forkScoped
  )
  yield* Effect.forkScoped(Effect.forever(wake))
  yield* Effect.forever(work).pipe(
    Effect.ensuring(Effect.suspend(() => {
      release()
      cleared(0)
      return Queue.end(events)
    })),
    Effect.exit,
    Effect.forkScoped
  )

  /** Waits for the answer, unless the line is closed. */
  const ask = <A>(answers: Set<Deferred.Deferred<A>>, input: Input, closed: A) =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<A>()
      answers.add(answer)
      return Queue.offerUnsafe(inputs, input)
        ? Effect.onInterrupt(Deferred.await(answer), () => Effect.sync(() => answers.delete(answer)))
        : Effect.sync(() => {
          answers.delete(answer)
          return closed
        })
    })
  const end = Effect.asVoid(Queue.end(inputs))

  return {
    format,
    events: Stream.fromQueue(events),
    play: (audio) => ask(playing, { _tag: "Play", audio }, undefined),
    mark: (mark) => Effect.asVoid(Queue.offer(inputs, { _tag: "Mark", mark })),
    clear: ask(clearing, { _tag: "Clear" }, 0),
    press,
    hangUp: Effect.andThen(end, hangUp),
    ...(move !== undefined && { move: Effect.tap(move, (moves) => moves ? Effect.andThen(end, close) : Effect.void) }),
    ...(transfer !== undefined && {
      transfer: (number: PhoneNumber.PhoneNumber) =>
        Effect.suspend(() =>
          isLost ? Effect.succeed(false) : Effect.tap(transfer(number), (is) => is ? end : Effect.void)
        )
    }),
    release: Effect.andThen(end, close)
  }
})
