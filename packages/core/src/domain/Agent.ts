/**
 * The caller: a script with placeholders, the questions to ask and the dispositions to choose from. Every placeholder
 * of a stored agent can be filled by a call. Every change creates a new version; a call keeps the version it was
 * accepted with.
 */
import { Duration, Effect, Schema } from "effect"
import * as Script from "./Placeholder.ts"
import { field } from "./FieldDocs.ts"
import { AgentId } from "./Ids.ts"
import * as Limits from "./Limits.ts"
import { PhoneNumber, PhoneNumberText } from "./PhoneNumber.ts"
import { nonEmptyText, text } from "./Text.ts"
import { VariableKey } from "./Variables.ts"

const ShortText = nonEmptyText(Limits.contactTextLength)

/** A placeholder that the script may use, with its value for calls that give none. */
export const AgentVariable = Schema.Struct({
  key: field(VariableKey, "The name of the variable.", "appointment"),
  default: field(
    Schema.optionalKey(text(Limits.variableTextLength)),
    "The value for calls without one.",
    "your appointment"
  )
})

/** Text with placeholders, each of which a call can fill. */
const template = (length: number) =>
  nonEmptyText(length).check(
    Schema.makeFilter((script: string) => {
      const unknown = Script.placeholders(script).find((key) => !Script.isFillable(key))
      return unknown === undefined ||
        `has the placeholder {{${unknown}}}, which no call can fill: a key starts with a letter, then letters, digits, _ or spaces, at most 40 characters; contact.name, contact.email and contact.external_id are built in`
    })
  )

const seconds = ({ least, most }: { readonly least: number; readonly most: number }) =>
  Schema.Int.check(
    Schema.isBetween({ minimum: least, maximum: most }, { message: `must be ${least} to ${most} seconds` })
  )

/** What becomes of a call that a voicemail box answers. */
export const Voicemail = Schema.Literals(["leave_message", "hang_up"])

const EndPhrases = Schema.Array(
  nonEmptyText(Limits.endPhraseLength).check(
    Schema.makeFilter((phrase: string) => /[\p{L}\p{N}]/u.test(phrase) || "must have a letter or a digit")
  )
).check(
  Schema.isMaxLength(Limits.endPhraseCount, { message: `must have at most ${Limits.endPhraseCount} entries` }),
  Schema.isUnique({ message: "must not repeat an entry" })
)

/** Where the agent may transfer a call to: it knows the name, and the engine the number. */
export const TransferNumber = Schema.Struct({
  name: field(nonEmptyText(Limits.transferNameLength), "What the agent calls it.", "reception"),
  number: field(PhoneNumberText, "The number, in E.164 format.", "+14155550198")
})
export type TransferNumber = typeof TransferNumber.Type

const TransferNumbers = Schema.Array(TransferNumber).check(
  Schema.isMaxLength(Limits.transferNumbers, { message: `must have at most ${Limits.transferNumbers} entries` }),
  Schema.makeFilter((numbers: ReadonlyArray<TransferNumber>) =>
    new Set(numbers.map(({ name }) => transferName(name))).size === numbers.length || "must not repeat a name"
  )
)

/** Names are compared without case: a model may write them in another. */
const transferName = (name: string): string => name.trim().toLowerCase()

/** The number of that name, if the agent may transfer calls to it. */
export const transferNumber = (
  numbers: ReadonlyArray<TransferNumber>,
  name: string
): TransferNumber | undefined => numbers.find((one) => transferName(one.name) === transferName(name))

/** A name that language models accept for a tool. */
export const ToolName = Schema.String.annotate({ message: "must be text" }).check(
  Schema.isPattern(/^[a-zA-Z0-9_-]{1,64}$/u, { message: "must have 1 to 64 letters, digits, _ and -" })
)

const fields = {
  name: ShortText,
  script: template(Limits.scriptLength),
  language: Schema.optionalKey(nonEmptyText(35)),
  variables: Schema.optionalKey(
    Schema.Array(AgentVariable).check(
      Schema.isMaxLength(Limits.variableCount, { message: `must have at most ${Limits.variableCount} entries` })
    )
  ),
  questions: Schema.Array(ShortText).check(
    Schema.isMaxLength(50, { message: "must have at most 50 entries" }),
    Schema.isUnique({ message: "must not repeat an entry" })
  ),
  dispositions: Schema.Array(ShortText).check(
    Schema.isMinLength(1, { message: "must name at least one disposition" }),
    Schema.isMaxLength(50, { message: "must have at most 50 entries" }),
    Schema.isUnique({ message: "must not repeat an entry" })
  ),
  callerId: Schema.optionalKey(PhoneNumberText),
  // Not checked as a template: agents of older versions have any text here.
  voicemailMessage: Schema.optionalKey(text(Limits.outcomeTextLength)),
  voicemail: Schema.optionalKey(Voicemail),
  firstMessage: Schema.optionalKey(template(Limits.firstMessageLength)),
  disclosure: Schema.optionalKey(template(Limits.disclosureLength)),
  maxDurationSeconds: Schema.optionalKey(seconds(Limits.conversationSeconds)),
  silenceSeconds: Schema.optionalKey(seconds(Limits.silenceSeconds)),
  interruptible: Schema.optionalKey(Schema.Boolean),
  endPhrases: Schema.optionalKey(EndPhrases),
  transferNumbers: Schema.optionalKey(TransferNumbers),
  model: Schema.optionalKey(ShortText),
  voice: Schema.optionalKey(ShortText),
  tools: Schema.optionalKey(
    Schema.Array(ToolName).check(
      Schema.isMaxLength(Limits.agentTools, { message: `must have at most ${Limits.agentTools} entries` }),
      Schema.isUnique({ message: "must not repeat an entry" })
    )
  )
}

/** Whether there is something to say. */
const hasText = (message: string | undefined): boolean => message !== undefined && message.trim() !== ""

const hasMessageToLeave = Schema.makeFilter((
  agent: { readonly voicemail?: string; readonly voicemailMessage?: string }
) =>
  agent.voicemail !== "leave_message" || hasText(agent.voicemailMessage) ||
  { path: ["voicemail"], issue: "needs a voicemail message to leave" }
)

/** An agent as its owner writes it, without its id. */
export const AgentContent = Schema.Struct(fields).check(hasMessageToLeave)

/** An agent as its owner writes it, without id for a new one. */
export const AgentDefinition = Schema.Struct({ id: Schema.optionalKey(AgentId), ...fields }).check(hasMessageToLeave)
export type AgentDefinition = typeof AgentDefinition.Type

/** One version of a stored agent. */
export const Agent = Schema.Struct({
  id: AgentId,
  version: Schema.Int,
  ...fields,
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc,
  /** Since when no call can be started with it. */
  archivedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type Agent = typeof Agent.Type

/** How the conversations of an agent are conducted, with all defaults filled in. */
export interface ConversationSettings {
  readonly maxDurationSeconds: number
  readonly silenceSeconds: number
  readonly interruptible: boolean
  readonly voicemail: typeof Voicemail.Type
  readonly endPhrases: ReadonlyArray<string>
  readonly transferNumbers: ReadonlyArray<TransferNumber>
  readonly tools: ReadonlyArray<string>
}

const defaults = {
  maxDurationSeconds: Duration.toSeconds(Limits.conversationDuration),
  silenceSeconds: Duration.toSeconds(Limits.conversationSilence),
  interruptible: true,
  voicemail: "hang_up",
  endPhrases: [],
  transferNumbers: [],
  tools: []
} as const satisfies ConversationSettings

export const conversationSettings = (
  agent: Partial<ConversationSettings> & { readonly voicemailMessage?: string }
): ConversationSettings => ({
  maxDurationSeconds: agent.maxDurationSeconds ?? defaults.maxDurationSeconds,
  silenceSeconds: agent.silenceSeconds ?? defaults.silenceSeconds,
  interruptible: agent.interruptible ?? defaults.interruptible,
  voicemail: agent.voicemail ?? (hasText(agent.voicemailMessage) ? "leave_message" : defaults.voicemail),
  endPhrases: agent.endPhrases ?? defaults.endPhrases,
  transferNumbers: agent.transferNumbers ?? defaults.transferNumbers,
  tools: agent.tools ?? defaults.tools
})

/** A field that stored briefs of older versions lack. */
const added = <S extends Schema.Constraint>(schema: S, value: S["Encoded"]) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema)

/** The agent for one call: its texts are rendered, its defaults filled in, and its metadata is left out. */
export const AgentBrief = Schema.Struct({
  id: AgentId,
  name: Schema.String,
  script: Schema.String,
  language: Schema.optionalKey(Schema.String),
  questions: Schema.Array(Schema.String),
  dispositions: Schema.Array(Schema.String),
  voicemailMessage: Schema.optionalKey(Schema.String),
  voicemail: added(Voicemail, "leave_message"),
  firstMessage: Schema.optionalKey(Schema.String),
  disclosure: Schema.optionalKey(Schema.String),
  maxDurationSeconds: added(Schema.Int, defaults.maxDurationSeconds),
  silenceSeconds: added(Schema.Int, defaults.silenceSeconds),
  interruptible: added(Schema.Boolean, defaults.interruptible),
  endPhrases: added(Schema.Array(Schema.String), defaults.endPhrases),
  transferNumbers: added(
    Schema.Array(Schema.Struct({ name: Schema.String, number: PhoneNumber })),
    defaults.transferNumbers
  ),
  model: Schema.optionalKey(Schema.String),
  voice: Schema.optionalKey(Schema.String),
  tools: added(Schema.Array(Schema.String), defaults.tools)
})
export type AgentBrief = typeof AgentBrief.Type
