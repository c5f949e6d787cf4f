/** The error of the ports of speech. */
import { Schema } from "effect"

/** The speech service does not answer, or refuses. The conversation ends with the fallback phrase, if it can be spoken. */
export class SpeechFailed extends Schema.TaggedError<SpeechFailed>()("SpeechFailed", { cause: Schema.Defect() }) {
  override get message() {
    return `The speech service failed: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}
