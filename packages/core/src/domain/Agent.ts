/**
 * The caller: a script with placeholders, the questions to ask and the dispositions to choose from. Every placeholder
 * of a stored agent can be filled by a call. Every change creates a new version; a call keeps the version it was
 * accepted with.
 */
import { Schema } from "effect"
import * as Script from "./Placeholder.ts"
import { AgentId } from "./Ids.ts"
import * as Limits from "./Limits.ts"
import { PhoneNumberText } from "./PhoneNumber.ts"
import { nonEmptyText, text } from "./Text.ts"
import { VariableKey } from "./Variables.ts"

const ShortText = nonEmptyText(Limits.contactTextLength)

/** A placeholder that the script may use, with its value for calls that give none. */
export const AgentVariable = Schema.Struct({
  key: VariableKey,
  default: Schema.optionalKey(text(Limits.variableTextLength))
})

const fields = {
  name: ShortText,
  script: nonEmptyText(Limits.scriptLength).check(
    Schema.makeFilter((script: string) => {
      const unknown = Script.placeholders(script).find((key) => !Script.isFillable(key))
      return unknown === undefined ||
        `has the placeholder {{${unknown}}}, which no call can fill: a key starts with a letter, then letters, digits, _ or spaces, at most 40 characters; contact.name, contact.email and contact.external_id are built in`
    })
  ),
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
  voicemailMessage: Schema.optionalKey(text(Limits.outcomeTextLength))
}

/** An agent as its owner writes it, without id for a new one. */
export const AgentDefinition = Schema.Struct({ id: Schema.optionalKey(AgentId), ...fields })
export type AgentDefinition = typeof AgentDefinition.Type

/** One version of a stored agent. */
export const Agent = Schema.Struct({
  id: AgentId,
  version: Schema.Int,
  ...fields,
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type Agent = typeof Agent.Type

/** The agent for one call: its script is rendered, and its metadata is left out. */
export const AgentBrief = Schema.Struct({
  id: AgentId,
  name: Schema.String,
  script: Schema.String,
  language: Schema.optionalKey(Schema.String),
  questions: Schema.Array(Schema.String),
  dispositions: Schema.Array(Schema.String),
  voicemailMessage: Schema.optionalKey(Schema.String)
})
export type AgentBrief = typeof AgentBrief.Type
