/**
 * Speech by ElevenLabs, over its WebSocket of many contexts: one for each text.
 * https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input
 */
import { type AudioFormat, TextToSpeech } from "@outdial/core"
import { type Layer, type Redacted, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { Socket } from "effect/socket"
import { socketUrl } from "./Deepgram.ts"
import { ofCode } from "./ServiceFailure.ts"
import * as Synthesizer from "./Synthesizer.ts"

export interface ElevenLabsOptions {
  readonly key: Redacted.Redacted
  /** The id of the voice of agents that name none. */
  readonly voice: string
  /** Default: `eleven_flash_v2_5`, the fastest. */
  readonly model?: string | undefined
  /** Another address of the API, such as `https://api.eu.residency.elevenlabs.io`. */
  readonly url?: string | undefined
}

const defaultUrl = "https://api.elevenlabs.io"

/** The longest that a connection may be silent, in seconds: the contact talks meanwhile. The most that ElevenLabs takes. */
const inactivityTimeout = "180"

export const layer = (
  options: ElevenLabsOptions
): Layer.Layer<TextToSpeech.TextToSpeech, never, Socket.WebSocketConstructor> => Synthesizer.layer(protocol(options))

const outputFormats = { mulaw: "ulaw_8000", alaw: "alaw_8000", pcm16: "pcm_16000" } as const satisfies Readonly<
  Record<AudioFormat.AudioFormat, string>
>

/** The older models refuse a language. */
const takesLanguage = (model: string): boolean => /_v2_5|_v3/u.test(model)

const protocol = (
  { key, model = "eleven_flash_v2_5", url = defaultUrl, voice: standard }: ElevenLabsOptions
): Synthesizer.Protocol => ({
  address: ({ format, language, voice = standard }) => ({
    service: "ElevenLabs",
    url: socketUrl(url, `/v1/text-to-speech/${encodeURIComponent(voice)}/multi-stream-input`, {
      model_id: model,
      output_format: outputFormats[format],
      language_code: takesLanguage(model) ? language?.split("-")[0] : undefined,
      // Whole sentences are spoken at once.
      auto_mode: "true",
      inactivity_timeout: inactivityTimeout
    }),
    headers: { "xi-api-key": key }
  }),
  // A context is only reported as done when it is closed, and one that is closed speaks to its end: it cannot be cancelled any more.
  speak: (context, text) => [
    { context_id: context, text: `${text} `, flush: true },
    { context_id: context, close_context: true }
  ],
  read: (message) =>
    Result.match(decode(message), {
      onFailure: () => Result.fail(undefined),
      onSuccess: ({ audio, contextId, error, isFinal }) => {
        if (typeof error === "string") return Result.fail(ofCode("ElevenLabs", error))
        if (typeof contextId !== "string") return Result.succeed(undefined)
        const isDone = isFinal === true
        if (typeof audio !== "string") return Result.succeed({ context: contextId, isDone })
        return Result.mapBoth(Base64.decode(audio), {
          onFailure: () => undefined,
          onSuccess: (audio) => ({ context: contextId, audio, isDone })
        })
      }
    })
})

const decode = Schema.decodeUnknownResult(
  Schema.Struct({
    audio: Schema.optionalKey(Schema.NullOr(Schema.String)),
    isFinal: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
    contextId: Schema.optionalKey(Schema.NullOr(Schema.String)),
    /** The name of an error, such as `quota_exceeded`. */
    error: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)
