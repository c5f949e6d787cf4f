/**
 * What a simulated contact does in a conversation: one move after each time the agent has finished speaking, or while it speaks. A
 * script that has come to its end is repeated from its last move.
 */
import { Effect } from "effect"
import type { Callee } from "./SimulatedCallee.ts"

export type Move =
  /** Speaks when the agent has finished. */
  | { readonly _tag: "Says"; readonly text: string }
  /** Starts to speak while the agent speaks, after that many of its words. */
  | { readonly _tag: "Interrupts"; readonly afterWords: number; readonly text: string }
  /** Makes a noise that is no word, after that many words of the agent. */
  | { readonly _tag: "Noise"; readonly afterWords: number }
  | { readonly _tag: "Presses"; readonly digits: string }
  /** Says nothing until the agent speaks again. */
  | { readonly _tag: "IsSilent" }
  /** Hangs up, after these words if there are any. */
  | { readonly _tag: "HangsUp"; readonly text?: string }
  /** A machine answers. */
  | { readonly _tag: "IsMachine"; readonly kind: "voicemail" | "ivr" | "fax" }

export type Script = readonly [Move, ...ReadonlyArray<Move>]

/** What a contact decides its next move by. */
export interface Moment {
  /** How many moves it has made. */
  readonly moves: number
  /** What it has heard since its last move; while the agent speaks, what the agent begins to say. */
  readonly words: string
  /** The agent begins to speak: only an interruption or a noise is made now. */
  readonly isSpeaking: boolean
}

/** A contact that decides what to do. */
export type Contact = (moment: Moment) => Effect.Effect<Move>

/** A contact that follows a script, whatever it hears. */
export const following = (script: Script): Contact => ({ moves }) => Effect.succeed(moveAt(script, moves))

/** Willing, and with an answer to every question. */
export const willing: Script = [
  { _tag: "Says", text: "Yes, this is a good time." },
  { _tag: "Says", text: "Yes, that suits me." },
  { _tag: "Says", text: "I think so." },
  { _tag: "Says", text: "No, not at the moment." },
  { _tag: "Says", text: "About twice a week." }
]

/** The script of a callee that is chosen by its number. */
export const scriptOf = (callee: Callee): Script => {
  switch (callee) {
    case "voicemail":
      return [{ _tag: "IsMachine", kind: "voicemail" }]
    case "voicemail_late":
      return [{ _tag: "Says", text: "I cannot take your call. Please leave a message." }, { _tag: "IsSilent" }]
    case "hangs_up":
      return [{ _tag: "HangsUp", text: "Sorry, not now." }]
    default:
      return willing
  }
}

const moveAt = (script: Script, index: number): Move => script[Math.min(index, script.length - 1)] ?? script[0]
