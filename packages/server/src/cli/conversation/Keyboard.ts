/**
 * The contact at the terminal. Typing interrupts the agent, Enter ends the turn, Ctrl-D and Ctrl-C hang up. What is typed while the agent
 * speaks appears when it is silent.
 */
import type { TypedLine } from "@outdial/core"
import { Effect, Option, Queue, Terminal } from "effect"
import * as TypedText from "./TypedText.ts"

const prompt = "> "
const clearLine = "\r\u001b[2K"

export interface Keyboard {
  readonly speaker: TypedLine.Speaker
  /** Returns when the input ends. */
  readonly type: (line: TypedLine.TypedLine) => Effect.Effect<void>
}

export const make = Effect.fnUntraced(
  function*(agentName: string): Effect.fn.Return<Keyboard, never, Terminal.Terminal> {
    const terminal = yield* Terminal.Terminal
    let typed = ""
    let isSpeaking = false
    const display = (text: string) => Effect.ignore(terminal.display(text))

    const speaker: TypedLine.Speaker = {
      begins: Effect.suspend(() => {
        isSpeaking = true
        return display(`${clearLine}${agentName}: `)
      }),
      says: display,
      ends: ({ wasCut }) =>
        Effect.suspend(() => {
          isSpeaking = false
          return display(`${wasCut ? "— (interrupted)" : ""}\n${prompt}${typed}`)
        })
    }

    const enter = Effect.fnUntraced(function*(line: TypedLine.TypedLine) {
      const text = typed
      typed = ""
      const entered = TypedText.read(text)
      yield* display(
        isSpeaking && entered._tag !== "Unknown" ? "" : entered._tag === "Nothing" ? `${clearLine}${prompt}` : "\n"
      )
      switch (entered._tag) {
        case "Words":
          return yield* line.said(entered.words)
        case "Digits":
          return yield* line.pressed(entered.digits)
        case "HangUp":
          return yield* line.hungUp
        case "Unknown":
          return yield* display(`${entered.message}\n${prompt}`)
        case "Nothing":
          return
        default:
          return entered satisfies never
      }
    })

    const pressed = Effect.fnUntraced(function*(line: TypedLine.TypedLine, { input, key }: Terminal.UserInput) {
      if (key.name === "return" || key.name === "enter") return yield* enter(line)
      if (key.ctrl) return yield* key.name === "d" || key.name === "c" ? line.hungUp : Effect.void
      const isErased = key.name === "backspace"
      const added = isErased || key.meta ? "" : Option.getOrElse(input, () => "").replaceAll(/\p{Cc}/gu, "")
      if (!isErased && added === "") return
      typed = isErased ? typed.replace(/\P{M}\p{M}*$/u, "") : typed + added
      if (!isSpeaking) yield* display(isErased ? `${clearLine}${prompt}${typed}` : added)
      if (!typed.startsWith("/") && added !== "") yield* line.saying(typed)
    })

    return {
      speaker,
      type: (line) =>
        Effect.gen(function*() {
          const inputs = yield* terminal.readInput
          return yield* Effect.forever(Effect.flatMap(Queue.take(inputs), (input) => pressed(line, input)))
        }).pipe(Effect.scoped, Effect.ignore, Effect.andThen(line.hungUp))
    }
  }
)
