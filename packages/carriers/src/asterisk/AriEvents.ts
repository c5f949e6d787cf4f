/** What Asterisk says on the event socket, as far as it concerns calls. */
import { Option, Schema } from "effect"

const Channel = Schema.Struct({
  id: Schema.String,
  /** `Down`, `Ringing` or `Up`; `Down` also while early media is heard. */
  state: Schema.String,
  /** The variables that were given with `report_events`. */
  channelvars: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
export type Channel = typeof Channel.Type

export const decodeChannel = Schema.decodeUnknownEffect(Schema.fromJsonString(Channel))
export const decodeChannels = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Channel)))

/** By Asterisk's clock. */
const timestamp = Schema.String

const Event = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("StasisStart"),
    timestamp,
    channel: Channel,
    args: Schema.Array(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("StasisEnd"), timestamp, channel: Channel }),
  Schema.Struct({ type: Schema.Literal("ChannelStateChange"), timestamp, channel: Channel }),
  /** The request to the phone has gone out, or has been answered. */
  Schema.Struct({ type: Schema.Literal("Dial"), timestamp, peer: Channel }),
  Schema.Struct({ type: Schema.Literal("ChannelDestroyed"), timestamp, channel: Channel, cause: Schema.Finite }),
  Schema.Struct({ type: Schema.Literal("ChannelUserevent") })
])
export type Event = typeof Event.Type
/** An event of a channel. */
export type CallEvent = Exclude<Event, { readonly type: "ChannelUserevent" }>

const decodeEvent = Schema.decodeUnknownOption(Schema.fromJsonString(Event))

/** None when it is of another kind. */
export const decode = (text: string): Event | undefined => Option.getOrUndefined(decodeEvent(text))

export const channelOf = (event: CallEvent): Channel => event.type === "Dial" ? event.peer : event.channel

/** The variable that names a call's account. It comes back in every event. */
export const accountVariable = "OUTDIAL_ACCOUNT"

/** The argument of `StasisStart` of a call that another node had. */
export const moved = "moved"
