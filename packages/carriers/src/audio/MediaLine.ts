/**
 * An audio line over a carrier's socket for sound. It begins after the message that says which call it is, which its owner has checked, and
 * lives as long as the scope.
 */
import { AudioFormat, type AudioLine, type PhoneNumber } from "@outdial/core"
import { type Cause, Clock, Deferred, Duration, Effect, Latch, Queue, type Scope, Stream } from "effect"
import * as AudioPlayback from "./AudioPlayback.ts"
import * as AudioTime from "./AudioTime.ts"
import type { MediaDialect, MediaEvent } from "./MediaDialect.ts"

export type OnMessage = (message: string | Uint8Array) => void

export interface MediaLineOptions {
  readonly dialect: MediaDialect
  readonly format: AudioFormat.AudioFormat
  /** Gives the line the messages that follow, and returns when the socket is lost. */
  readonly receive: (on: OnMessage) => Effect.Effect<void>
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
  /** Gets until when all that the agent has said has come to `onSound`. */
  readonly onKnown?: (until: number) => void
}

/** Waits for an answer to an input. */
interface Asked<A> {
  readonly answer: Deferred.Deferred<A>
  /** The input was taken: there is room for it only then. */
  isTaken: boolean
}

type Input =
  | Exclude<AudioPlayback.Input, { readonly _tag: "Clear" | "Play" }>
  | { readonly _tag: "Play"; readonly audio: Uint8Array; readonly asked: Asked<void> }
  | { readonly _tag: "Clear"; readonly asked: Asked<number> }
  | Exclude<MediaEvent, { readonly _tag: "Audio" }>
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
  { close, dialect, format, hangUp, lost = Effect.void, move, onKnown, onSound, press, receive, send, transfer }:
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
  const playing = new Set<Asked<void>>()
  const clearing = new Set<Asked<number>>()

  // Who gets an answer may ask again at once.
  const release = () => {
    const waiting = [...playing].filter(({ isTaken }) => isTaken)
    for (const asked of waiting) playing.delete(asked)
    for (const { answer } of waiting) Deferred.doneUnsafe(answer, Effect.void)
  }

  const cleared = (millis: number) => {
    const waiting = [...clearing]
    clearing.clear()
    for (const [index, { answer }] of waiting.entries()) {
      Deferred.doneUnsafe(answer, Effect.succeed(index === 0 ? millis : 0))
    }
  }

  const play = Effect.fnUntraced(function*(input: AudioPlayback.Input) {
    const next = AudioPlayback.step(playback, input, now())
    playback = next.playback
    wakeAt = next.wakeAt
    isFull = next.isFull
    for (const sound of next.heard) onSound?.("agent", sound)
    for (const command of next.send) {
      const message = dialect.encode(command)
      if (message.length > 0 && !isLost) yield* send(message)
    }
    for (const mark of next.marked) yield* Queue.offer(events, { _tag: "Marked", mark })
    onKnown?.(next.knownUntil)
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

  const hearFrame = (audio: Uint8Array) => {
    const at = now() - AudioFormat.millisOf(format, audio.length)
    if (at - heardUntil > jitter) hearSilence(at)
    onSound?.("contact", { at, audio })
    hear(audio)
    silentAt = now() + gap
    isDelayed = false
    // Frames put off when the line wakes and says so.
    if (playback.confirmed === playback.end) onKnown?.(now())
  }

  /** Frames do not wait for what else is to be done, and are most of what comes. */
  const onMessage = (message: string | Uint8Array) => {
    const event = dialect.decode(message)
    if (event?._tag === "Audio") hearFrame(event.audio)
    else if (event !== undefined) Queue.offerUnsafe(inputs, event)
  }

  const refused = (problem: string) => {
    if (hasWarned) return Effect.void
    hasWarned = true
    return Effect.logWarning("The carrier refused a message about sound", problem)
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
    if ("asked" in input) input.asked.isTaken = true
    switch (input._tag) {
      case "Digits":
        return Queue.offer(events, input)
      case "Refused":
        return refused(input.problem)
      case "Stopped":
        return end
      case "Lost":
        isLost = true
        dropsMarks = clearing.size > 0 && playback.waiting.some((piece) => "mark" in piece)
        return play({ _tag: "Gone" })
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

  yield* receive(onMessage).pipe(
    Effect.andThen(Queue.offer(inputs, { _tag: "Lost" })),
    Effect.andThen(lost),
    Effect.ensuring(Queue.end(inputs)),
    Effect.forkScoped
  )
  yield* Effect.forkScoped(Effect.forever(wake))
  yield* Effect.forever(work).pipe(
    Effect.tapDefect((defect) => Effect.logError("A line for sound has failed", defect)),
    Effect.ensuring(Effect.suspend(() => {
      Queue.endUnsafe(inputs)
      for (const asked of playing) asked.isTaken = true
      release()
      cleared(0)
      return Queue.end(events)
    })),
    Effect.exit,
    Effect.forkScoped
  )

  /** Waits for the answer, unless the line is closed. */
  const ask = <A>(all: Set<Asked<A>>, inputOf: (asked: Asked<A>) => Input, closed: A) =>
    Effect.suspend(() => {
      const asked = { answer: Deferred.makeUnsafe<A>(), isTaken: false }
      all.add(asked)
      return Queue.offerUnsafe(inputs, inputOf(asked))
        ? Effect.onInterrupt(Deferred.await(asked.answer), () => Effect.sync(() => all.delete(asked)))
        : Effect.sync(() => {
          all.delete(asked)
          return closed
        })
    })
  /** What was played until now is recorded. */
  const end = Effect.sync(() => {
    if (!Queue.endUnsafe(inputs) || isLost) return
    const last = AudioPlayback.step(playback, { _tag: "Gone" }, now())
    playback = last.playback
    for (const sound of last.heard) onSound?.("agent", sound)
  })

  return {
    format,
    events: Stream.fromQueue(events),
    play: (audio) => ask(playing, (asked) => ({ _tag: "Play", audio, asked }), undefined),
    mark: (mark) => Effect.asVoid(Queue.offer(inputs, { _tag: "Mark", mark })),
    clear: ask(clearing, (asked) => ({ _tag: "Clear", asked }), 0),
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

/** The messages of a stream, for a line. */
export const from = (messages: Stream.Stream<string | Uint8Array>) => (on: OnMessage): Effect.Effect<void> =>
  Stream.runForEach(messages, (message) => Effect.sync(() => on(message)))
