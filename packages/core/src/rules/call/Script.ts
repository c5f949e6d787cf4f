/** Fills the placeholders of an agent's script for one call (spec §2.5, §8). Pure; never reads metadata. */
import type { Agent } from "../../domain/Agent.ts"
import type { Contact } from "../../domain/Call.ts"
import * as Placeholder from "../../domain/Placeholder.ts"
import type { Variables } from "../../domain/Variables.ts"

/** The data of a call for its script. */
export interface Values {
  readonly contact: Contact
  readonly variables: Variables
}

/** A placeholder that calls give a value, in the order of the script; without the built-in ones. */
export interface ScriptVariable {
  readonly key: string
  readonly required: boolean
  readonly default?: string
}

// Cached for the rows of a batch, as long as the agent is in use.
const read = new WeakMap<object, ReadonlyArray<ScriptVariable>>()

/** The variables of an agent: those of its script, then the other declared ones. */
export const variables = (agent: Pick<Agent, "script" | "variables">): ReadonlyArray<ScriptVariable> => {
  const known = read.get(agent) ?? readVariables(agent)
  read.set(agent, known)
  return known
}

const readVariables = (agent: Pick<Agent, "script" | "variables">): ReadonlyArray<ScriptVariable> => {
  const used = Placeholder.placeholders(agent.script).filter((key) => !Placeholder.isBuiltIn(key))
  const declared = new Map(agent.variables?.map((variable) => [variable.key, variable.default]))
  return [...new Set([...used, ...declared.keys()])].map((key) => {
    const value = declared.get(key)
    return value === undefined ? { key, required: used.includes(key) } : { key, required: false, default: value }
  })
}

/** The keys without a value in this call. A call is accepted only when there are none. */
export const missing = (agent: Pick<Agent, "script" | "variables">, values: Variables): ReadonlyArray<string> =>
  variables(agent).filter((variable) => variable.required && !Object.hasOwn(values, variable.key)).map((_) => _.key)

/** The rendered script. Built-in placeholders are empty when the contact has no value for them. */
export const render = (agent: Pick<Agent, "script" | "variables">, values: Values): string => {
  const defaultOf = (key: string) => agent.variables?.find((variable) => variable.key === key)?.default
  return Placeholder.replace(agent.script, (key) => {
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
  })
}
