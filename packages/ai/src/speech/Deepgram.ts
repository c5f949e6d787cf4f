/**
 * Speech recognition by Deepgram's `listen` API, version 1, for its models `nova`. A turn of the contact is over when Deepgram hears a
 * pause (`speech_final`), or no word for a second (`UtteranceEnd`).
 * https://developers.deepgram.com/reference/speech-to-text/listen-streaming
 */
import { AudioFormat, SpeechToText } from "@outdial/core"
import { type Layer, Redacted, Result, Schema } from "effect"
import type { Socket } from "effect/socket"
import * as Recognizer from "./Recognizer.ts"
import { ofCode } from "./ServiceFailure.ts"

export interface DeepgramOptions {
  readonly key: Redacted.Redacted
  /** Such as `nova-3`. Default: `nova-3`. */
  readonly model?: string | undefined
  /** Another address of the API, such as `https://api.eu.deepgram.com`. */
  readonly url?: string | undefined
}

const defaultUrl = "https://api.deepgram.com"

/** A turn of more characters is over: ten minutes of speech. */
const longestTurn = 10_000

/** The pause after which a turn is over, in milliseconds: people pause as long between sentences. Deepgram recommends 300 to 500. */
const pause = 300

/** How long no word follows until a turn is over that background noise hides the pause of, in milliseconds: the least that Deepgram takes. */
const wordlessPause = 1_000

export const layer = (
  options: DeepgramOptions
): Layer.Layer<SpeechToText.SpeechToText, never, Socket.WebSocketConstructor> => Recognizer.layer(protocol(options))

/** The names that Deepgram gives the formats. */
export const encodings = { mulaw: "mulaw", alaw: "alaw", pcm16: "linear16" } as const

export const headers = ({ key }: Pick<DeepgramOptions, "key">) => ({
  authorization: Redacted.make(`Token ${Redacted.value(key)}`)
})

/** As the address of a WebSocket, with these parameters. */
export const socketUrl = (
  url: string,
  path: string,
  parameters: Readonly<Record<string, string | undefined>>
): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return `${url.replace(/^http/u, "ws").replace(/\/+$/u, "")}${path}?${given.join("&")}`
}

const protocol = ({ key, model = "nova-3", url = defaultUrl }: DeepgramOptions): Recognizer.Protocol => ({
  address: ({ format, language }) => ({
    service: "Deepgram",
    url: socketUrl(url, "/v1/listen", {
      model,
      language,
      encoding: encodings[format],
      sample_rate: String(AudioFormat.sampleRate(format)),
      channels: "1",
      punctuate: "true",
      interim_results: "true",
      endpointing: String(pause),
      utterance_end_ms: String(wordlessPause)
    }),
    headers: headers({ key })
  }),
  reader,
  framesTogether: 5,
  keepAlive: () => JSON.stringify({ type: "KeepAlive" })
})

const Results = Schema.Struct({
  type: Schema.Literal("Results"),
  is_final: Schema.Boolean,
  speech_final: Schema.optionalKey(Schema.Boolean),
  channel: Schema.Struct({ alternatives: Schema.Array(Schema.Struct({ transcript: Schema.String })) })
})

/** `variant` is the name of the error on connections that were accepted. */
const Failure = Schema.Struct({ type: Schema.Literal("Error"), variant: Schema.optionalKey(Schema.String) })

const Message = Schema.Union([Results, Schema.Struct({ type: Schema.Literal("UtteranceEnd") }), Failure])

const decode = Schema.decodeUnknownResult(Message)

const isOther = Schema.is(
  Schema.Struct({
    type: Schema.String.check(Schema.makeFilter((type) => !["Results", "UtteranceEnd", "Error"].includes(type)))
  })
)

const reader = (): Recognizer.Reader => {
  /** The parts of the turn that will not change. */
  let settled: ReadonlyArray<string> = []
  let changing = ""
  /** Words were reported of the turn that is not over. */
  let isOpen = false

  const text = () => [...settled, changing].filter((part) => part !== "").join(" ")

  const ended = (): ReadonlyArray<SpeechToText.RecognitionEvent> => {
    const said = text()
    settled = []
    changing = ""
    const wasOpen = isOpen
    isOpen = false
    // Words that were taken back were noise: the turn is over without any.
    return said === "" && !wasOpen ? [] : [{ _tag: "Words", text: said, isFinal: true }]
  }

  const results = ({ channel, is_final, speech_final }: typeof Results.Type) => {
    const before = text()
    const heard = channel.alternatives[0]?.transcript.trim() ?? ""
    if (is_final && heard !== "") settled = [...settled, heard]
    changing = is_final ? "" : heard
    const said = text()
    if (speech_final === true || said.length > longestTurn) return ended()
    if (said === "" || said === before) return []
    isOpen = true
    return [{ _tag: "Words", text: said, isFinal: false } as const]
  }

  return {
    read: (message) => {
      if (isOther(message)) return Result.succeed([])
      return Result.match(decode(message), {
        onFailure: () => Result.fail(undefined),
        onSuccess: (known): Recognizer.Reading => {
          switch (known.type) {
            case "Results":
              return Result.succeed(results(known))
            case "UtteranceEnd":
              return Result.succeed(ended())
            case "Error":
              return Result.fail(ofCode("Deepgram", known.variant))
            default:
              return known satisfies never
          }
        }
      })
    },
    lost: ended
  }
}
