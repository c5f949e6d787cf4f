/**
 * The socket of Asterisk's `chan_websocket`, with control messages in JSON: sound is in binary messages, in the format of the channel. The
 * setting `control_message_format = json` of `chan_websocket.conf`, or `f(json)` for one channel, is needed.
 * https://docs.asterisk.org/Configuration/Channel-Drivers/WebSocket/
 */
import type { AudioFormat } from "@outdial/core"
import { Option, Schema } from "effect"
import type { MediaDialect, MediaEvent } from "./MediaDialect.ts"

/** The first message: which channel it is, and its format. */
const Start = Schema.Struct({
  event: Schema.Literal("MEDIA_START"),
  channel_id: Schema.String,
  format: Schema.String
})

/** The names of Asterisk. */
const formats: Readonly<Record<string, AudioFormat.AudioFormat>> = { ulaw: "mulaw", alaw: "alaw", slin16: "pcm16" }

export interface MediaStart {
  readonly channelId: string
  /** None when it is not one of ours. */
  readonly format: AudioFormat.AudioFormat | undefined
}

/** What the first message says; none when it is another message. */
export const start = (message: string | Uint8Array): MediaStart | undefined => {
  const decoded = typeof message === "string" ? decodeStart(message) : Option.none()
  return Option.isNone(decoded)
    ? undefined
    : { channelId: decoded.value.channel_id, format: formats[decoded.value.format] }
}

/** The name of a format, as `format` of a channel. */
export const formatName = (format: AudioFormat.AudioFormat): "alaw" | "slin16" | "ulaw" => {
  switch (format) {
    case "mulaw":
      return "ulaw"
    case "alaw":
      return "alaw"
    case "pcm16":
      return "slin16"
    default:
      return format satisfies never
  }
}

const Event = Schema.Union([
  Schema.Struct({ event: Schema.Literal("MEDIA_MARK_PROCESSED"), correlation_id: Schema.FiniteFromString }),
  Schema.Struct({ event: Schema.Literal("STATUS"), queue_length: Schema.Finite }),
  Schema.Struct({ event: Schema.Literals(["MEDIA_XOFF", "MEDIA_XON"]) }),
  Schema.Struct({ event: Schema.Literal("DTMF_END"), digit: Schema.String }),
  Schema.Struct({ event: Schema.Literal("ERROR"), error_text: Schema.String })
])

const decodeStart = Schema.decodeUnknownOption(Schema.fromJsonString(Start))
const decodeEvent = Schema.decodeUnknownOption(Schema.fromJsonString(Event))

export const dialect: MediaDialect = {
  // With an empty queue Asterisk sends no RTP, and carriers end calls without any.
  needsSilence: true,
  clearing: "reports_left",
  decode: (message) =>
    typeof message === "string"
      ? Option.getOrUndefined(Option.map(decodeEvent(message), eventOf))
      : { _tag: "Audio", audio: message },
  encode: (command) => {
    switch (command._tag) {
      case "Audio":
        return command.audio
      case "Mark":
        // Text of more than 128 bytes is ignored.
        return JSON.stringify({ command: "MARK_MEDIA", correlation_id: String(command.number) })
      case "AskLeft":
        return JSON.stringify({ command: "GET_STATUS" })
      case "Flush":
        return JSON.stringify({ command: "FLUSH_MEDIA" })
      default:
        return command satisfies never
    }
  }
}

const eventOf = (event: typeof Event.Type): MediaEvent => {
  switch (event.event) {
    case "MEDIA_MARK_PROCESSED":
      return { _tag: "Marked", number: event.correlation_id }
    case "STATUS":
      return { _tag: "Left", frames: event.queue_length }
    case "MEDIA_XOFF":
      return { _tag: "Held", isHeld: true }
    case "MEDIA_XON":
      return { _tag: "Held", isHeld: false }
    case "DTMF_END":
      return { _tag: "Digits", digits: event.digit }
    case "ERROR":
      return { _tag: "Refused", problem: event.error_text }
    default:
      return event satisfies never
  }
}
