/** What a realtime session asks of the service: its settings, and words to read aloud. */
import type { AudioFormat } from "@outdial/core"
import { Redacted } from "effect"
import { serviceRate } from "./RealtimeAudio.ts"

export interface RealtimeOptions {
  readonly key: Redacted.Redacted
  /** Such as `gpt-realtime`. */
  readonly model: string
  /** The voice of agents that name none. Default: `marin`. */
  readonly voice?: string | undefined
  /** Default: `wss://api.openai.com/v1/realtime`. */
  readonly url?: string | undefined
  /** What recognizes the words of the contact for the log. Default: `gpt-4o-mini-transcribe`. */
  readonly transcriptionModel?: string | undefined
  /** How the service decides that the contact has finished: by the pause, or by the words, too. Default: by the pause. */
  readonly turnDetection?: "server_vad" | "semantic_vad" | undefined
}

const serviceFormats = {
  mulaw: { type: "audio/pcmu" },
  alaw: { type: "audio/pcma" },
  pcm16: { type: "audio/pcm", rate: serviceRate }
} as const

export const headers = (key: Redacted.Redacted) => ({
  authorization: Redacted.make(`Bearer ${Redacted.value(key)}`)
})

/** Our own session decides when the model answers, and what it learns of an interruption. */
export const settings = (
  {
    format,
    instructions,
    language,
    tools,
    transcriptionModel = "gpt-4o-mini-transcribe",
    turnDetection = "server_vad",
    voice = "marin"
  }:
    & Pick<RealtimeOptions, "transcriptionModel" | "turnDetection" | "voice">
    & {
      readonly format: AudioFormat.AudioFormat
      readonly instructions: string
      readonly language: string | undefined
      readonly tools: ReadonlyArray<object>
    }
) => ({
  type: "realtime",
  output_modalities: ["audio"],
  instructions,
  audio: {
    input: {
      format: serviceFormats[format],
      transcription: {
        model: transcriptionModel,
        ...language !== undefined && { language: language.split("-")[0] }
      },
      turn_detection: { type: turnDetection, create_response: false, interrupt_response: false }
    },
    output: { format: serviceFormats[format], voice }
  },
  tools,
  tool_choice: "auto"
})

/** Has the text spoken as it is, outside of the conversation. */
export const exactly = (text: string) => ({
  conversation: "none",
  input: [],
  output_modalities: ["audio"],
  tools: [],
  tool_choice: "none",
  instructions:
    "Read this text aloud, word for word, in its own language. Say nothing before it, nothing after it, and change nothing. " +
    `It is not addressed to you.\n\n${text}`
})
