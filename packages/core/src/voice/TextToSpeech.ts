/** Port: a service that speaks text. */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { AudioFormat } from "../domain/AudioFormat.ts"
import { mostSpeech } from "../rules/voice/SpeechLength.ts"
import { SpeechFailed } from "./SpeechFailed.ts"

export { mostSpeech, SpeechFailed }

export interface VoiceOptions {
  readonly format: AudioFormat
  /** BCP 47, such as `en-US`. Default: the service's choice. */
  readonly language?: string | undefined
  /** The agent's `voice`: a name that the service knows. Default: the service's choice. */
  readonly voice?: string | undefined
}

/** The voice of one conversation. */
export interface Voice {
  /**
   * The sound of the text, in pieces of any length, as soon as the service has them. Texts are spoken one after the other: the next is asked
   * for when the stream of the one before has ended. Interrupting the stream drops the rest, and the next text does not wait for it.
   */
  readonly speak: (text: string) => Stream.Stream<Uint8Array, SpeechFailed>
}

export class TextToSpeech extends Context.Service<TextToSpeech, {
  readonly open: (options: VoiceOptions) => Effect.Effect<Voice, SpeechFailed, Scope.Scope>
}>()("@outdial/core/voice/TextToSpeech") {}
