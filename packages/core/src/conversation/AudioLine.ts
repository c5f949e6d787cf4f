/**
 * Port: a line that exchanges sound. A `VoiceAgent` makes a text line of it, so that conversations need not know the difference. It plays
 * what it is given in real time, and knows what of it was played to one frame.
 */
import type { Effect, Stream } from "effect"
import type { AudioFormat } from "../domain/AudioFormat.ts"
import type { Line } from "./Line.ts"

/** What a line reports. */
export type AudioEvent =
  /**
   * What the contact says, in real time and without gaps: where the carrier sends nothing, as phones do in silence, the line puts silence.
   * Pieces have any length, usually one frame.
   */
  | { readonly _tag: "Audio"; readonly audio: Uint8Array }
  | { readonly _tag: "Digits"; readonly digits: string }
  /** All that was given before the mark was played. */
  | { readonly _tag: "Marked"; readonly mark: string }
  /**
   * The line fell silent by itself, such as when its connection was lost, as if it was cleared: of the sound given since it was last cleared
   * so many milliseconds were played. What is given to it later is not played, and this is reported at its marks.
   */
  | { readonly _tag: "Silenced"; readonly played: number }

export interface AudioLine extends Line {
  /** Of both directions, for the life of the line. */
  readonly format: AudioFormat
  /** What happens on the line, until it is closed. To be read once. What is not read waits; audio is dropped when 5 seconds of it wait. */
  readonly events: Stream.Stream<AudioEvent>
  /**
   * Plays sound after what was given before, in pieces of any length. Waits while the line has more than 3 seconds to play. When nothing
   * is left to play, the contact hears silence.
   */
  readonly play: (audio: Uint8Array) => Effect.Effect<void>
  /** Has `Marked` reported when all that was given before was played. A frame that is not full is filled up with silence. */
  readonly mark: (mark: string) => Effect.Effect<void>
  /**
   * Falls silent at once: drops what was not played, with its marks, and has a `play` that waits return. Returns how many milliseconds
   * were played of the sound given since the last `clear`, or since the line was opened.
   */
  readonly clear: Effect.Effect<number>
}

/** What the text line of an audio line does in the same way. */
export const operationsOf = (
  { clear: _, events: _1, format: _2, mark: _3, play: _4, ...operations }: AudioLine
): Line => operations
