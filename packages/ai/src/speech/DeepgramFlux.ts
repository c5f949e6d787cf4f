/**
 * Speech recognition by Deepgram's `listen` API, version 2, for its models `flux`. The model decides from the words and the voice when a
 * turn of the contact is over, not only from the pause. https://developers.deepgram.com/reference/speech-to-text/listen-flux
 */
import { AudioFormat, SpeechToText } from "@outdial/core"
import { type Layer, Result, Schema } from "effect"
import type { Socket } from "effect/socket"
import * as Deepgram from "./Deepgram.ts"
import * as Recognizer from "./Recognizer.ts"
import { ofCode } from "./ServiceFailure.ts"

export interface DeepgramFluxOptions extends Omit<Deepgram.DeepgramOptions, "model"> {
  /** Default: `flux-general-en`, which knows English only. */
  readonly model?: string | undefined
  /** How sure Flux must be that a turn is over, 0.5 to 0.9. Default: Deepgram's, 0.7. */
  readonly endOfTurnThreshold?: number | undefined
}

const defaultUrl = "https://api.deepgram.com"

export const layer = (
  options: DeepgramFluxOptions
): Layer.Layer<SpeechToText.SpeechToText, never, Socket.WebSocketConstructor> => Recognizer.layer(protocol(options))

const protocol = (
  { endOfTurnThreshold, key, model = "flux-general-en", url = defaultUrl }: DeepgramFluxOptions
): Recognizer.Protocol => ({
  address: ({ format, language }) => ({
    service: "Deepgram Flux",
    url: Deepgram.socketUrl(url, "/v2/listen", {
      model,
      // Only the model of many languages takes a hint.
      language_hint: model.endsWith("-multi") ? language?.split("-")[0] : undefined,
      encoding: Deepgram.encodings[format],
      sample_rate: String(AudioFormat.sampleRate(format)),
      eot_threshold: endOfTurnThreshold?.toString()
    }),
    headers: Deepgram.headers({ key })
  }),
  reader,
  // Deepgram recommends 80 ms.
  framesTogether: 4,
  // Flux knows no other message for it.
  keepAlive: (format) => AudioFormat.silence(format, 80)
})

const TurnInfo = Schema.Struct({ type: Schema.Literal("TurnInfo"), event: Schema.String, transcript: Schema.String })

const Failure = Schema.Struct({ type: Schema.Literal("Error"), code: Schema.optionalKey(Schema.String) })

const decode = Schema.decodeUnknownResult(Schema.Union([TurnInfo, Failure]))

const isOther = Schema.is(
  Schema.Struct({ type: Schema.String.check(Schema.makeFilter((type) => !["TurnInfo", "Error"].includes(type))) })
)

const reader = (): Recognizer.Reader => {
  /** The words of the turn that is not over. */
  let said = ""
  /** Something was reported of it. */
  let isOpen = false

  const turnInfo = (
    { event, transcript }: typeof TurnInfo.Type
  ): ReadonlyArray<SpeechToText.RecognitionEvent> => {
    const text = transcript.trim()
    if (event === "EndOfTurn") {
      said = ""
      isOpen = false
      // A turn without words was noise.
      return [{ _tag: "Words", text, isFinal: true }]
    }
    const isNew = text !== "" && text !== said
    if (text !== "") said = text
    if (isNew || event === "StartOfTurn") isOpen = true
    return [
      ...event === "StartOfTurn" ? [{ _tag: "SpeechStarted" } as const] : [],
      ...isNew ? [{ _tag: "Words", text, isFinal: false } as const] : []
    ]
  }

  return {
    read: (message) => {
      if (isOther(message)) return Result.succeed([])
      return Result.match(decode(message), {
        onFailure: () => Result.fail(undefined),
        onSuccess: (known): Recognizer.Reading =>
          known.type === "Error" ? Result.fail(ofCode("Deepgram Flux", known.code)) : Result.succeed(turnInfo(known))
      })
    },
    lost: () => {
      const text = said
      const wasOpen = isOpen
      said = ""
      isOpen = false
      return wasOpen ? [{ _tag: "Words", text, isFinal: true }] : []
    }
  }
}
