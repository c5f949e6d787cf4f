/** The sound and the settings of a realtime session. The service takes the codes of telephony as they are, and samples of 16 bits at 24 kHz only. */
import { AudioFormat, Resampler, Samples } from "@outdial/core"
import { Redacted } from "effect"
import type { RealtimeOptions } from "./RealtimeSession.ts"

/** Of `audio/pcm`, in samples per second. */
const serviceRate = 24_000

const lineRate = AudioFormat.sampleRate("pcm16")

/** The sound of a line, in the form that the service takes. */
export const toService = (format: AudioFormat.AudioFormat): (frame: Uint8Array) => Uint8Array => {
  if (format !== "pcm16") return (frame) => frame
  const resampler = Resampler.make(lineRate, serviceRate)
  return (frame) => Samples.toLittleEndian(resampler.push(Samples.fromLittleEndian(frame)))
}

/** Sound that grows. */
export interface Sound {
  readonly push: (bytes: Uint8Array) => void
  /** Nothing follows. */
  readonly end: () => void
  readonly millis: () => number
  /** From one millisecond to another. */
  readonly read: (from: number, to: number) => Uint8Array
}

/** The sound of the service, in the form of the line. */
export const sound = (format: AudioFormat.AudioFormat): Sound => {
  const resampler = format === "pcm16" ? Resampler.make(serviceRate, lineRate) : undefined
  const perMilli = AudioFormat.bytesPerMilli(format)
  let bytes = new Uint8Array(16 * 1024)
  let length = 0
  /** The first byte of a sample whose second one comes with the next piece. */
  let half = new Uint8Array(0)
  const resampled = (resampler: Resampler.Resampler, given: Uint8Array) => {
    const whole = new Uint8Array(half.length + given.length)
    whole.set(half)
    whole.set(given, half.length)
    half = whole.slice(whole.length - whole.length % 2)
    return Samples.toLittleEndian(resampler.push(Samples.fromLittleEndian(whole)))
  }
  const add = (more: Uint8Array) => {
    if (length + more.length > bytes.length) {
      const larger = new Uint8Array(2 * (length + more.length))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(more, length)
    length += more.length
  }
  return {
    push: (given) => add(resampler === undefined ? given : resampled(resampler, given)),
    end: () => resampler === undefined ? undefined : add(Samples.toLittleEndian(resampler.end())),
    millis: () => length / perMilli,
    read: (from, to) => bytes.slice(Math.round(from * perMilli), Math.min(length, Math.round(to * perMilli)))
  }
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
