/** What a line and a server exchange over a WebSocket, as JSON; the path of the socket's address is the id of the call. */
import type { Outcome } from "@outdial/core"
import type { RawData } from "@effect/platform-node/NodeWS"

export type FromLine =
  | { readonly type: "heard"; readonly text: string }
  | { readonly type: "played"; readonly utterance: number }

export interface ToLine {
  readonly type: "speak"
  readonly utterance: number
  readonly text: string
  /** In the first words of a model's answer: milliseconds since its first piece has arrived. */
  readonly sincePiece?: number
}

/** A frame as it arrives. Both sides send what they declare. */
export const parsed = <Frame extends FromLine | ToLine>(data: RawData): Frame =>
  JSON.parse(Buffer.isBuffer(data) ? data.toString() : "null")

/** What the server says first, and then answers at once. */
export const opening = "Hello Grace, this is Ada about your visit on Tuesday. Is this a good moment?"
export const answer = "Thank you, I have noted that. Is there anything else that we should know before you come?"

/** The contact's words of a turn. */
export const words = (line: number, turn: number) =>
  `I will come on Tuesday at ten, and bring number ${line}.${turn} with me`

/** What is said in a conversation of so many turns of the contact. */
export const transcript = (turns: number): ReadonlyArray<Outcome.TranscriptTurn> => [
  { speaker: "agent", text: opening, startMs: 100, endMs: 1100 },
  ...Array.from({ length: turns }, (_, turn): ReadonlyArray<Outcome.TranscriptTurn> => [
    { speaker: "contact", text: words(10, turn), startMs: turn * 1000 + 2000, endMs: turn * 1000 + 2000 },
    { speaker: "agent", text: answer, startMs: turn * 1000 + 2001, endMs: turn * 1000 + 2500 }
  ]).flat()
]
