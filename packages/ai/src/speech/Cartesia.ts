/** Speech by Cartesia, over its WebSocket: a context for each text. https://docs.cartesia.ai/api-reference/tts/websocket */
import { AudioFormat, TextToSpeech } from "@outdial/core"
import { type Layer, type Redacted, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { Socket } from "effect/socket"
import { socketUrl } from "./Deepgram.ts"
import { ofCode, ofStatus } from "./ServiceFailure.ts"
import * as Synthesizer from "./Synthesizer.ts"

export interface CartesiaOptions {
  readonly key: Redacted.Redacted
  /** The id of the voice of agents that name none. */
  readonly voice: string
  /** Default: `sonic-3`. */
  readonly model?: string | undefined
  /** Another address of the API. */
  readonly url?: string | undefined
}

const defaultUrl = "https://api.cartesia.ai"

/** The version of the API that this file follows. */
const version = "2026-03-01"

export const layer = (
  options: CartesiaOptions
): Layer.Layer<TextToSpeech.TextToSpeech, never, Socket.WebSocketConstructor> => Synthesizer.layer(protocol(options))

const encodings = { mulaw: "pcm_mulaw", alaw: "pcm_alaw", pcm16: "pcm_s16le" } as const

const protocol = (
  { key, model = "sonic-3", url = defaultUrl, voice: standard }: CartesiaOptions
): Synthesizer.Protocol => ({
  address: () => ({
    service: "Cartesia",
    url: socketUrl(url, "/tts/websocket", { cartesia_version: version }),
    headers: { "x-api-key": key }
  }),
  speak: (context, text, { format, language, voice = standard }) => [{
    model_id: model,
    transcript: text,
    voice: { mode: "id", id: voice },
    ...language !== undefined && { language: language.split("-")[0] },
    context_id: context,
    output_format: { container: "raw", encoding: encodings[format], sample_rate: AudioFormat.sampleRate(format) },
    // The whole text is here.
    continue: false
  }],
  cancel: (context) => ({ context_id: context, cancel: true }),
  read: (message) =>
    Result.match(decode(message), {
      onFailure: () => Result.fail(undefined),
      onSuccess: ({ context_id, data, error_code, status_code, type }) => {
        const context = context_id ?? ""
        switch (type) {
          case "chunk":
            return Result.mapBoth(Base64.decode(data ?? ""), {
              onFailure: () => undefined,
              onSuccess: (audio) => ({ context, audio, isDone: false })
            })
          case "done":
            return Result.succeed({ context, isDone: true })
          case "error":
            return Result.succeed({
              context,
              isDone: true,
              failure: typeof status_code === "number"
                ? ofStatus("Cartesia", status_code)
                : ofCode("Cartesia", error_code ?? undefined)
            })
          default:
            return Result.succeed(undefined)
        }
      }
    })
})

const decode = Schema.decodeUnknownResult(
  Schema.Struct({
    type: Schema.String,
    context_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
    data: Schema.optionalKey(Schema.NullOr(Schema.String)),
    status_code: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    /** Such as `model_not_found`. */
    error_code: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)
