/**
 * A line to a simulated contact: it takes as long to speak as a person would, and knows how much of it the contact has heard. It moves
 * with the clock alone, so it is deterministic under a test clock.
 */
import { Cause, Clock, Duration, Effect, Queue, type Scope, Stream } from "effect"
import type { LineEvent } from "../domain/Conversation.ts"
import type { TextLine } from "../conversation/Conversations.ts"
import { calleeOf } from "./SimulatedCallee.ts"
import type { Contact, Move } from "./SimulatedContact.ts"

/** Speech, in milliseconds for each character: 150 words a minute. */
const speaking = 66

/** How long a contact waits before it answers, in milliseconds; the agent may say more meanwhile. */
const thinking = 700

/** How long a contact talks with the number that it was transferred to, in milliseconds. */
const transferred = 60_000

/** How often a line reports the words so far of a contact who goes on speaking, in milliseconds. */
const partialEvery = 3_000

/** How long it takes to say the words, in milliseconds. */
export const speechMillis = (text: string): number => text.length * speaking

/** The first word with the space after it. */
const firstWord = (text: string): string => text.slice(0, text.indexOf(" ") + 1 || text.length)

export interface SimulatedLine {
  readonly line: TextLine
  /** Returns when either side has hung up. */
  readonly closed: Effect.Effect<void>
  /** The contact hangs up, or the carrier does. */
  readonly close: Effect.Effect<void>
  /** How often either side has spoken on this line. */
  readonly turns: () => number
}

interface Utterance {
  readonly id: number
  readonly text: string
}

type Command =
  | { readonly _tag: "Speak"; readonly utterance: Utterance }
  | { readonly _tag: "Stop" }

/** `speed` divides the times of speech. The line lives as long as the scope. */
export const make = Effect.fnUntraced(function*(
  { contact, speed }: { readonly contact: Contact; readonly speed: number }
): Effect.fn.Return<SimulatedLine, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const events = yield* Queue.unbounded<LineEvent, Cause.Done>()
  const commands = yield* Queue.unbounded<Command>()
  const lengthOf = (text: string) => Math.ceil(speechMillis(text) / speed)
  const emit = (event: LineEvent) => Queue.offer(events, event)
  const close = Effect.asVoid(Queue.end(events))
  let turns = 0
  let moves = 0
  let words = ""
  let isTransferred = false
  /** Until when the contact says what it interrupted the agent with. */
  let speaksUntil = 0

  /** The words of an utterance that were heard in that time. */
  const heardIn = (text: string, millis: number) => {
    const characters = Math.floor((millis * speed) / speaking)
    const cut = text.slice(0, characters)
    return characters >= text.length ? text : cut.slice(0, Math.max(0, cut.lastIndexOf(" ")))
  }

  const step = Math.ceil(partialEvery / speed)
  /** The line reports the first word at once, unless it was told to wait longer, and then the words so far. */
  const says = Effect.fnUntraced(function*(text: string, firstPartial = lengthOf(firstWord(text))) {
    turns += 1
    const length = lengthOf(text)
    let spoken = 0
    for (let next = firstPartial; next < length; next += step) {
      yield* Effect.sleep(Duration.millis(next - spoken))
      spoken = next
      yield* emit({ _tag: "Heard", text: heardIn(text, spoken), isFinal: false })
    }
    yield* Effect.sleep(Duration.millis(length - spoken))
    yield* emit({ _tag: "Heard", text, isFinal: true })
  })

  /** What the contact does when the agent has finished. */
  const answer = Effect.gen(function*() {
    const move = yield* contact({ moves, words, isSpeaking: false })
    moved()
    return yield* done(move)
  })

  const moved = () => {
    moves += 1
    words = ""
  }

  const done = (move: Move): Effect.Effect<unknown> => {
    switch (move._tag) {
      case "Says":
        return says(move.text)
      case "Interrupts":
        return says(move.text)
      case "Presses":
        return emit({ _tag: "Digits", digits: move.digits })
      case "IsSilent":
      case "Noise":
        return Effect.void
      case "HangsUp":
        return Effect.andThen(move.text === undefined ? Effect.void : says(move.text), close)
      case "IsMachine":
        return emit({ _tag: "Machine", kind: move.kind })
      default:
        return move satisfies never
    }
  }

  const hears = (text: string) => {
    words = `${words} ${text}`.trim()
  }

  /** Speaks one utterance; returns whether it was heard to its end. Other commands wait their turn. */
  const speak = Effect.fnUntraced(function*({ id, text }: Utterance, waiting: Array<Utterance>) {
    turns += 1
    const startedAt = clock.currentTimeMillisUnsafe()
    const endsAt = startedAt + lengthOf(text)
    const move = yield* contact({ moves, words: text, isSpeaking: true })
    let interruptsAt = Infinity
    if (move._tag === "Interrupts" || move._tag === "Noise") {
      // An agent may say its words in several sentences.
      const left = Math.max(0, move.afterWords - words.split(" ").filter((word) => word !== "").length)
      interruptsAt = startedAt + lengthOf(text.split(" ").slice(0, left).join(" "))
    }
    while (true) {
      const now = clock.currentTimeMillisUnsafe()
      if (now >= endsAt) {
        hears(text)
        yield* emit({ _tag: "Played", utterance: id })
        return true
      }
      if (now >= interruptsAt) {
        interruptsAt = Infinity
        moved()
        if (move._tag === "Interrupts") {
          speaksUntil = now + lengthOf(move.text)
          yield* emit({ _tag: "Heard", text: move.text, isFinal: false })
          yield* Effect.forkScoped(says(move.text, step))
        } else yield* emit({ _tag: "SpeechStarted" })
      }
      const command = yield* Effect.timeoutOption(
        Queue.take(commands),
        Duration.millis(Math.max(0, Math.min(endsAt, interruptsAt) - now))
      )
      if (command._tag === "None") continue
      if (command.value._tag === "Speak") waiting.push(command.value.utterance)
      else {
        waiting.length = 0
        const heard = heardIn(text, clock.currentTimeMillisUnsafe() - startedAt)
        hears(heard)
        yield* emit({ _tag: "Stopped", utterance: id, heard })
        return false
      }
    }
  })

  const play = Effect.gen(function*() {
    const waiting: Array<Utterance> = []
    // A machine speaks first.
    const first = yield* contact({ moves, words, isSpeaking: true })
    if (first._tag === "IsMachine") yield* answer
    while (true) {
      const next = waiting.shift()
      const isHeard = next !== undefined && (yield* speak(next, waiting))
      if (waiting.length > 0) continue
      // The agent has finished if it says nothing more while the contact thinks. An agent that was stopped goes on by itself.
      const speaks = Math.max(0, speaksUntil - clock.currentTimeMillisUnsafe())
      const command = yield* !isHeard
        ? Effect.asSome(Queue.take(commands))
        : Effect.timeoutOption(Queue.take(commands), Duration.millis(speaks + Math.ceil(thinking / speed)))
      if (command._tag === "None") yield* answer
      else if (command.value._tag === "Speak") waiting.push(command.value.utterance)
    }
  })
  yield* Effect.forkScoped(play)

  return {
    close,
    turns: () => turns,
    closed: Effect.asVoid(Effect.exit(Queue.await(events))),
    line: {
      events: Stream.fromQueue(events),
      speak: ({ id, text }) => Effect.asVoid(Queue.offer(commands, { _tag: "Speak", utterance: { id, text } })),
      stopSpeaking: Effect.asVoid(Queue.offer(commands, { _tag: "Stop" })),
      press: () => Effect.void,
      resumed: (entries) =>
        Effect.sync(() => {
          moves = entries.filter((entry) => entry._tag === "Turn" && entry.speaker === "contact").length
        }),
      hangUp: close,
      // A number whose callee takes no call cannot be transferred to.
      transfer: (number) =>
        Effect.sync(() => {
          isTransferred = !["busy", "never_answers", "refused"].includes(calleeOf(number))
          return isTransferred
        }),
      release: Effect.suspend(() =>
        isTransferred
          ? Effect.asVoid(Effect.forkIn(Effect.delay(close, Duration.millis(transferred / speed)), scope))
          : close
      )
    }
  }
})
