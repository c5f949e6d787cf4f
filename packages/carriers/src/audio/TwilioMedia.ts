/**
 * The socket of Twilio's Media Streams in both directions: JSON messages, with sound in µ-law at 8 kHz.
 * https://www.twilio.com/docs/voice/media-streams/websocket-messages
 */
import { Option, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { MediaDialect, MediaEvent } from "./MediaDialect.ts"

/** The second message, after `connected`: which stream of which call it is. */
export const Start = Schema.Struct({
  event: Schema.Literal("start"),
  streamSid: Schema.String,
  start: Schema.Struct({
    accountSid: Schema.String,
    callSid: Schema.String,
    mediaFormat: Schema.Struct({
      encoding: Schema.Literal("audio/x-mulaw"),
      sampleRate: Schema.Union([Schema.Literal(8_000), Schema.Literal("8000")])
    })
  })
})
export type Start = typeof Start.Type

export const decodeStart = Schema.decodeUnknownOption(Schema.fromJsonString(Start))

const Event = Schema.Union([
  Schema.Struct({ event: Schema.Literal("media"), media: Schema.Struct({ payload: Schema.String }) }),
  Schema.Struct({ event: Schema.Literal("mark"), mark: Schema.Struct({ name: Schema.FiniteFromString }) }),
  Schema.Struct({ event: Schema.Literal("dtmf"), dtmf: Schema.Struct({ digit: Schema.String }) }),
  Schema.Struct({ event: Schema.Literal("stop") })
])

const decodeEvent = Schema.decodeUnknownOption(Schema.fromJsonString(Event))

/** Of one stream. */
export const dialect = (streamSid: string): MediaDialect => ({
  // Twilio sends silence by itself.
  needsSilence: false,
  clearing: "returns_marks",
  decode: (message) =>
    typeof message === "string" ? Option.getOrUndefined(Option.flatMap(decodeEvent(message), eventOf)) : undefined,
  encode: (command) => {
    switch (command._tag) {
      case "Audio":
        return JSON.stringify({ event: "media", streamSid, media: { payload: Base64.encode(command.audio) } })
      case "Mark":
        return JSON.stringify({ event: "mark", streamSid, mark: { name: String(command.number) } })
      case "Flush":
        return JSON.stringify({ event: "clear", streamSid })
      case "AskLeft":
        // Nothing to ask: `clear` returns the marks that it drops.
        return ""
      default:
        return command satisfies never
    }
  }
})

const eventOf = (event: typeof Event.Type): Option.Option<MediaEvent> => {
  switch (event.event) {
    case "media":
      return Option.map(
        Result.getSuccess(Base64.decode(event.media.payload)),
        (audio): MediaEvent => ({ _tag: "Audio", audio })
      )
    case "mark":
      return Option.some({ _tag: "Marked", number: event.mark.name })
    case "dtmf":
      return Option.some({ _tag: "Digits", digits: event.dtmf.digit })
    case "stop":
      return Option.some({ _tag: "Stopped" })
    default:
      return event satisfies never
  }
}
