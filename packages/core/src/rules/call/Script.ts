/** Fills the placeholders in an agent's texts for one call (spec §2.5, §8). Pure; never reads metadata. */
import type { Agent } from "../../domain/Agent.ts"
import type { Contact } from "../../domain/Call.ts"
import * as Placeholder from "../../domain/Placeholder.ts"
import type { Variables } from "../../domain/Variables.ts"

/** The data of a call for its script. */
export interface Values {
  readonly contact: Contact
  readonly variables: Variables
}

/** The texts of an agent that may have placeholders, and its declared variables. */
export type Texts = Pick<Agent, "script" | "variables" | "firstMessage" | "disclosure" | "voicemailMessage">

/** A placeholder that calls give a value, in the order of the texts; without the built-in ones. */
export interface ScriptVariable {
  readonly key: string
  readonly required: boolean
  readonly default?: string
}

// Cached for the rows of a batch, as long as the agent is in use.
const read = new WeakMap<object, ReadonlyArray<ScriptVariable>>()

/** The variables of an agent: those of its texts, then the other declared ones. */
export const variables = (agent: Texts): ReadonlyArray<ScriptVariable> => {
  const known = read.get(agent) ?? readVariables(agent)
  read.set(agent, known)
  return known
}

const readVariables = (agent: Texts): ReadonlyArray<ScriptVariable> => {
  const needed = keysOf(agent.script, agent.firstMessage, agent.disclosure)
  // Not needed: agents of older versions may have any placeholder here, and their calls must be accepted.
  const optional = keysOf(agent.voicemailMessage).filter(Placeholder.isFillable)
  const declared = new Map(agent.variables?.map((variable) => [variable.key, variable.default]))
  return [...new Set([...needed, ...optional, ...declared.keys()])].map((key) => {
    const value = declared.get(key)
    return value === undefined ? { key, required: needed.includes(key) } : { key, required: false, default: value }
  })
}

const keysOf = (...texts: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  texts.flatMap((text) => Placeholder.placeholders(text ?? "")).filter((key) => !Placeholder.isBuiltIn(key))

/** The keys without a value in this call. A call is accepted only when there are none. */
export const missing = (agent: Texts, values: Variables): ReadonlyArray<string> =>
  variables(agent).filter((variable) => variable.required && !Object.hasOwn(values, variable.key)).map((_) => _.key)

/**
 * A text of the agent, rendered. Built-in placeholders are empty when the contact has no value for them, and the blanks before an empty one go
 * with it if punctuation follows: `Hello {{contact.name}}, this is Ada` is `Hello, this is Ada`.
 */
export const render = (agent: Pick<Agent, "variables">, text: string, values: Values): string => {
  const defaultOf = (key: string) => agent.variables?.find((variable) => variable.key === key)?.default
  const valueOf = (key: string) => {
    switch (key) {
      case "contact.name":
        return values.contact.name ?? ""
      case "contact.email":
        return values.contact.email ?? ""
      case "contact.external_id":
        return values.contact.externalId ?? ""
      default:
        return Object.hasOwn(values.variables, key) ? String(values.variables[key]) : defaultOf(key) ?? ""
    }
  }
  return Placeholder.replace(Placeholder.withoutGaps(text, (key) => valueOf(key) === ""), valueOf)
}
