/**
 * A line to a simulated contact: it takes as long to speak as a person would, and knows how much of it the contact has heard. It moves
 * with the clock alone, so it is deterministic under a test clock.
 */
import { Cause, Clock, Duration, Effect, Queue, type Scope, Stream } from "effect"
import type { LineEvent } from "../domain/Conversation.ts"
import type { TextLine } from "../conversation/Conversations.ts"
import { moveAt, type Script } from "./SimulatedContact.ts"

/** Speech, in milliseconds for each character: 150 words a minute. */
const speaking = 66

/** How long a contact waits before it answers, in milliseconds; the agent may say more meanwhile. */
const thinking = 700

export interface SimulatedLine {
  readonly line: TextLine
  /** Returns when either side has hung up. */
  readonly closed: Effect.Effect<void>
  /** The contact hangs up, or the carrier does. */
  readonly close: Effect.Effect<void>
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
  { script, speed }: { readonly script: Script; readonly speed: number }
): Effect.fn.Return<SimulatedLine, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const events = yield* Queue.unbounded<LineEvent, Cause.Done>()
  const commands = yield* Queue.unbounded<Command>()
  const lengthOf = (text: string) => Math.ceil((text.length * speaking) / speed)
  const emit = (event: LineEvent) => Queue.offer(events, event)
  const close = Effect.asVoid(Queue.end(events))
  let index = 0

  /** The words of an utterance that were heard in that time. */
  const heardIn = (text: string, millis: number) => {
    const characters = Math.floor((millis * speed) / speaking)
    const cut = text.slice(0, characters)
    return characters >= text.length ? text : cut.slice(0, Math.max(0, cut.lastIndexOf(" ")))
  }

  const says = (text: string) =>
    Effect.andThen(Effect.sleep(Duration.millis(lengthOf(text))), emit({ _tag: "Heard", text, isFinal: true }))

  /** What the contact does when the agent has finished. */
  const answer = Effect.suspend(() => {
    const move = moveAt(script, index)
    index += 1
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
  })

  /** Speaks one utterance; returns the command that stopped it, if one did. Other commands wait their turn. */
  const speak = Effect.fnUntraced(function*({ id, text }: Utterance, waiting: Array<Utterance>) {
    const startedAt = clock.currentTimeMillisUnsafe()
    const endsAt = startedAt + lengthOf(text)
    const move = moveAt(script, index)
    let interruptsAt = move._tag === "Interrupts" || move._tag === "Noise"
      ? startedAt + lengthOf(text.split(" ").slice(0, move.afterWords).join(" "))
      : Infinity
    while (true) {
      const now = clock.currentTimeMillisUnsafe()
      if (now >= endsAt) {
        yield* emit({ _tag: "Played", utterance: id })
        return
      }
      if (now >= interruptsAt) {
        interruptsAt = Infinity
        index += 1
        yield* move._tag === "Interrupts"
          ? Effect.andThen(
            emit({ _tag: "Heard", text: move.text, isFinal: false }),
            Effect.forkScoped(says(move.text))
          )
          : emit({ _tag: "SpeechStarted" })
      }
      const command = yield* Effect.timeoutOption(
        Queue.take(commands),
        Duration.millis(Math.max(0, Math.min(endsAt, interruptsAt) - now))
      )
      if (command._tag === "None") continue
      if (command.value._tag === "Speak") waiting.push(command.value.utterance)
      else {
        waiting.length = 0
        yield* emit({
          _tag: "Stopped",
          utterance: id,
          heard: heardIn(text, clock.currentTimeMillisUnsafe() - startedAt)
        })
        return
      }
    }
  })

  const play = Effect.gen(function*() {
    const waiting: Array<Utterance> = []
    // A machine speaks first.
    if (moveAt(script, 0)._tag === "IsMachine") yield* answer
    while (true) {
      const next = waiting.shift()
      if (next !== undefined) {
        yield* speak(next, waiting)
        if (waiting.length > 0) continue
      }
      // The agent has finished if it says nothing more while the contact thinks.
      const command = yield* next === undefined
        ? Effect.asSome(Queue.take(commands))
        : Effect.timeoutOption(Queue.take(commands), Duration.millis(thinking / speed))
      if (command._tag === "None") yield* answer
      else if (command.value._tag === "Speak") waiting.push(command.value.utterance)
    }
  })
  yield* Effect.forkScoped(play)

  return {
    close,
    closed: Effect.asVoid(Effect.exit(Queue.await(events))),
    line: {
      events: Stream.fromQueue(events),
      speak: ({ id, text }) => Effect.asVoid(Queue.offer(commands, { _tag: "Speak", utterance: { id, text } })),
      stopSpeaking: Effect.asVoid(Queue.offer(commands, { _tag: "Stop" })),
      press: () => Effect.void,
      hangUp: close,
      release: close
    }
  }
})
