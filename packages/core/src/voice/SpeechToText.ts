/**
 * Port: a service that turns what the contact says into words. It decides when a turn of the contact is over; the engine does not measure
 * pauses.
 */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { AudioFormat } from "../domain/AudioFormat.ts"
import { SpeechFailed } from "./SpeechFailed.ts"

export { SpeechFailed }

export interface RecognitionOptions {
  readonly format: AudioFormat
  /** BCP 47, such as `en-US`. Default: the service's choice. */
  readonly language?: string | undefined
}

/** What the service has heard. */
export type RecognitionEvent =
  /** The contact starts to speak. Services that report partial words at once need not report it. */
  | { readonly _tag: "SpeechStarted" }
  /**
   * All words of the turn so far. Partial words may still change. Final words end the turn, also when they are empty: then it was noise. The
   * words that follow are another turn.
   */
  | { readonly _tag: "Words"; readonly text: string; readonly isFinal: boolean }

/** The recognition of one conversation. */
export interface Recognition {
  /**
   * Hears the contact, whose sound comes in real time and without gaps. Does not wait for the service: what it does not take in time is
   * lost.
   */
  readonly hear: (audio: Uint8Array) => Effect.Effect<void>
  /** Ends with the scope. To be read once. Fails when the service cannot be used any more. */
  readonly events: Stream.Stream<RecognitionEvent, SpeechFailed>
}

export class SpeechToText extends Context.Service<SpeechToText, {
  readonly open: (options: RecognitionOptions) => Effect.Effect<Recognition, SpeechFailed, Scope.Scope>
}>()("@outdial/core/voice/SpeechToText") {}
