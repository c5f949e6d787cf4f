/**
 * The JSON frames of ConversationRelay, in the dialects of Twilio and Telnyx: the carrier turns speech into text and text into speech, and
 * the conversation is held over a WebSocket. Frames that are not understood are `unknown`, never an error: carriers add new ones.
 * https://www.twilio.com/docs/voice/conversationrelay/websocket-messages
 */
import { Option, Schema } from "effect"

/** Where the carriers differ. */
export interface RelayDialect {
  /** The carrier reports which words it has played, while it plays them. */
  readonly reportsPlayed: boolean
  /** Each text may say that the contact cannot interrupt it. */
  readonly protectsText: boolean
  /** The end of a session may have a word for the request that follows it. */
  readonly handsOff: boolean
  /** How long the voice takes for a character, in milliseconds. */
  readonly speaking: number
}

/** 150 words a minute. */
const speaking = 66

export const twilio: RelayDialect = { reportsPlayed: true, protectsText: true, handsOff: true, speaking }
export const telnyx: RelayDialect = { reportsPlayed: false, protectsText: false, handsOff: false, speaking }

/** Different versions of the documentation have a number or its digits. */
const Millis = Schema.Union([Schema.Finite, Schema.FiniteFromString])

/** The first frame: which call it is, in which session. */
export const Setup = Schema.Struct({
  type: Schema.Literal("setup"),
  sessionId: Schema.String,
  accountSid: Schema.optionalKey(Schema.String),
  /** The carrier's id of the call. Telnyx names it as `callControlId`, too. */
  callSid: Schema.String,
  callControlId: Schema.optionalKey(Schema.String),
  /** The number that the contact was called from. */
  from: Schema.optionalKey(Schema.NullOr(Schema.String)),
  customParameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
export type Setup = typeof Setup.Type

const RelayFrame = Schema.Union([
  Setup,
  /** What the contact says: all words of the turn so far, and with `last` the final ones. */
  Schema.Struct({
    type: Schema.Literal("prompt"),
    voicePrompt: Schema.String,
    lang: Schema.optionalKey(Schema.NullOr(Schema.String)),
    last: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({ type: Schema.Literal("dtmf"), digit: Schema.String }),
  /** The contact has interrupted: the carrier has dropped everything that it was still to say. */
  Schema.Struct({
    type: Schema.Literal("interrupt"),
    utteranceUntilInterrupt: Schema.optionalKey(Schema.NullOr(Schema.String)),
    durationUntilInterruptMs: Schema.optionalKey(Schema.NullOr(Millis))
  }),
  /** Who speaks (`agentSpeaking`, `clientSpeaking`: `on` or `off`), and words that were played (`tokensPlayed`). */
  Schema.Struct({ type: Schema.Literal("info"), name: Schema.String, value: Schema.Unknown }),
  Schema.Struct({ type: Schema.Literal("error"), description: Schema.optionalKey(Schema.String) })
])
export type RelayFrame = typeof RelayFrame.Type | { readonly type: "unknown" }

/** What we tell the carrier. */
export type RelayCommand =
  | { readonly type: "text"; readonly token: string; readonly interruptible: boolean }
  | { readonly type: "sendDigits"; readonly digits: string }
  | { readonly type: "language"; readonly ttsLanguage: string; readonly transcriptionLanguage: string }
  /** Ends the session. The call lives on until it is hung up, or until the next request of the carrier says what follows. */
  | { readonly type: "end"; readonly handoffData?: string }

/** Total: whatever is no frame is `unknown`. */
export const decode = (frame: string): RelayFrame => Option.getOrElse(decodeOption(frame), () => unknown)

const decodeOption = Schema.decodeUnknownOption(Schema.fromJsonString(RelayFrame))

const unknown: RelayFrame = { type: "unknown" }

/** A text is a turn of its own (`last`), spoken after those before it. */
export const encode = (dialect: RelayDialect, command: RelayCommand): string => JSON.stringify(wire(dialect, command))

const wire = (dialect: RelayDialect, command: RelayCommand) => {
  switch (command.type) {
    case "text": {
      const { interruptible, token, type } = command
      return { type, token, last: true, ...(dialect.protectsText && { interruptible, preemptible: false }) }
    }
    case "end":
      return dialect.handsOff ? command : { type: command.type }
    case "sendDigits":
      // The digits of the fourth column cannot be sent.
      return { ...command, digits: command.digits.replaceAll(/[A-D]/gu, "") }
    case "language":
      return command
    default:
      return command satisfies never
  }
}
