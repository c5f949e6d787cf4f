/**
 * A line to the person at the keyboard: what they type are the contact's words, and the agent's words appear at the pace of speech. It
 * measures how long the contact waits for each answer.
 */
import { type Cause, Clock, Deferred, Duration, Effect, Latch, Queue, type Scope, Stream } from "effect"
import type { TextLine } from "../conversation/Conversations.ts"
import type { LineEvent } from "../domain/Conversation.ts"
import type { Activity } from "./Activity.ts"

/** Where the agent's words appear. */
export interface Speaker {
  readonly begins: Effect.Effect<void>
  /** The next words that were heard, with the space after them. */
  readonly says: (words: string) => Effect.Effect<void>
  readonly ends: (options: { readonly wasCut: boolean }) => Effect.Effect<void>
}

export interface Options {
  readonly activity: Activity
  readonly speaker: Speaker
  /** How long the agent speaks, in milliseconds for each character; 0 for a script. */
  readonly pace: number
}

/** How long the contact waited for the first words after their own. */
export interface Latency {
  readonly words: string
  readonly millis: number
}

export interface TypedLine {
  readonly line: TextLine
  /** The contact has said something. */
  readonly said: (words: string) => Effect.Effect<void>
  /** The contact is saying something. */
  readonly saying: (words: string) => Effect.Effect<void>
  readonly pressed: (digits: string) => Effect.Effect<void>
  readonly hungUp: Effect.Effect<void>
  /** Returns when either side has hung up. */
  readonly closed: Effect.Effect<void>
  readonly isClosed: () => boolean
  readonly latencies: () => ReadonlyArray<Latency>
}

interface Utterance {
  readonly id: number
  readonly text: string
}

export const make = Effect.fnUntraced(function*(
  { activity, pace, speaker }: Options
): Effect.fn.Return<TypedLine, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const events = yield* Queue.unbounded<LineEvent, Cause.Done>()
  const latencies: Array<Latency> = []
  const closed = yield* Deferred.make<void>()
  const isAny = Latch.makeUnsafe()
  let waiting: Array<Utterance> = []
  let speaking: { readonly utterance: Utterance; readonly stop: Deferred.Deferred<void> } | undefined
  let unanswered: { readonly words: string; readonly at: number } | undefined

  const emit = (event: LineEvent) =>
    Effect.andThen(Effect.sync(activity.happened), Effect.asVoid(Queue.offer(events, event)))

  /** Says the words until it is stopped; returns what was heard. */
  const say = Effect.fnUntraced(function*({ text }: Utterance, stop: Deferred.Deferred<void>) {
    if (pace === 0) {
      yield* speaker.says(text)
      return text
    }
    let heard = ""
    for (const words of text.match(/\S+\s*|\s+/gu) ?? []) {
      const spoken = Effect.as(Effect.sleep(Duration.millis(words.length * pace)), true)
      const isSpoken = yield* Effect.raceFirst(spoken, Effect.as(Deferred.await(stop), false))
      if (!isSpoken) break
      heard += words
      yield* speaker.says(words)
    }
    return heard
  })

  const speak = Effect.gen(function*() {
    const utterance = waiting.shift()
    if (utterance === undefined) {
      isAny.closeUnsafe()
      return yield* isAny.await
    }
    const stop = yield* Deferred.make<void>()
    speaking = { utterance, stop }
    yield* speaker.begins
    const heard = yield* say(utterance, stop)
    speaking = undefined
    const wasCut = heard !== utterance.text
    yield* speaker.ends({ wasCut })
    yield* emit(
      wasCut
        ? { _tag: "Stopped", utterance: utterance.id, heard: heard.trimEnd() }
        : { _tag: "Played", utterance: utterance.id }
    )
  })
  yield* Effect.forkScoped(Effect.forever(speak))

  const hungUp = Effect.suspend(() => {
    activity.happened()
    Deferred.doneUnsafe(closed, Effect.void)
    return Effect.asVoid(Queue.end(events))
  })

  const stopSpeaking = Effect.suspend(() => {
    activity.happened()
    const [first] = waiting
    waiting = []
    if (speaking !== undefined) return Effect.asVoid(Deferred.succeed(speaking.stop, undefined))
    return first === undefined ? Effect.void : emit({ _tag: "Stopped", utterance: first.id, heard: "" })
  })

  return {
    hungUp,
    closed: Deferred.await(closed),
    isClosed: () => Deferred.isDoneUnsafe(closed),
    latencies: () => latencies,
    said: (words) =>
      Effect.suspend(() => {
        unanswered = { words, at: clock.currentTimeMillisUnsafe() }
        return emit({ _tag: "Heard", text: words, isFinal: true })
      }),
    saying: (words) => emit({ _tag: "Heard", text: words, isFinal: false }),
    pressed: (digits) =>
      Effect.suspend(() => {
        unanswered = { words: digits, at: clock.currentTimeMillisUnsafe() }
        return emit({ _tag: "Digits", digits })
      }),
    line: {
      stopSpeaking,
      events: Stream.fromQueue(events),
      speak: ({ id, text }) =>
        Effect.sync(() => {
          activity.happened()
          if (unanswered !== undefined) {
            const { at, words } = unanswered
            latencies.push({ words, millis: Math.max(0, clock.currentTimeMillisUnsafe() - at) })
          }
          unanswered = undefined
          waiting.push({ id, text })
          isAny.openUnsafe()
        }),
      press: (digits) =>
        Effect.andThen(
          Effect.andThen(speaker.begins, speaker.says(`[presses ${digits}]`)),
          speaker.ends({ wasCut: false })
        ),
      transfer: (number) =>
        Effect.as(
          Effect.andThen(
            Effect.andThen(speaker.begins, speaker.says(`[transfers the call to ${number}]`)),
            speaker.ends({ wasCut: false })
          ),
          true
        ),
      hangUp: hungUp,
      release: hungUp
    }
  }
})
