/** The other fields of a policy as text, and back. The document stays the truth: what the form does not know is left as it is. */
import { durationOf, durationText } from "../../data/DurationText.ts"
import type { Policy } from "../../data/Wire.ts"

/** A policy as it is edited. The server checks it. */
export type Document = { readonly [Key in keyof Policy]?: unknown } & Readonly<Record<string, unknown>>

const numberOf = (text: string): number | string => /^[0-9]+$/.test(text.trim()) ? Number(text) : text.trim()

const listOf = (text: string): ReadonlyArray<string> => text.split(/[\s,;]+/).filter((part) => part !== "")

/** How a field of the document is written in the form. */
export interface TextForm {
  readonly show: (value: unknown) => string
  readonly read: (text: string) => unknown
}

const plain: TextForm = {
  show: (value) => typeof value === "string" || typeof value === "number" ? String(value) : "",
  read: (text) => text.trim()
}
const number: TextForm = { ...plain, read: numberOf }
const list: TextForm = { show: (value) => Array.isArray(value) ? value.join(", ") : "", read: listOf }
const lines: TextForm = { show: (value) => Array.isArray(value) ? value.join("\n") : "", read: listOf }
const duration: TextForm = {
  show: (value) => typeof value === "number" ? durationText(value) : typeof value === "string" ? value : "",
  read: durationOf
}

/** The fields that the form shows as text, by their names in the document. */
export const textForms = {
  excluded_dates: lines,
  recall_gap_seconds: duration,
  daily_limit: number,
  calls_per_second: number,
  time_zone: plain,
  fallback_time_zone: plain,
  default_country: plain,
  allowed_countries: list
} as const satisfies Readonly<Record<string, TextForm>>
export type TextField = keyof typeof textForms

/** A field that is emptied is left out, so that its default applies. */
export const withField = (document: Document, field: string, value: unknown): Document => {
  const { [field]: _, ...others } = document
  return value === "" || value === undefined ||
      (Array.isArray(value) && value.length === 0 && field !== "number_limits")
    ? others
    : { ...others, [field]: value }
}

type Agents = Readonly<Record<string, Document>>

const agentsOf = (document: Document): Agents => (document["agents"] ?? {}) as Agents // as the server checks it

/** The agents that have rules of their own. */
export const agentsWithRules = (document: Document): ReadonlyArray<string> => Object.keys(agentsOf(document))

/** The own rules of an agent; the account's hold for what they leave out. */
export const rulesOfAgent = (document: Document, agent: string): Document => agentsOf(document)[agent] ?? {}

/** The rules with a field of an agent changed. An agent whose last own rule is left out has none. */
export const withAgentField = (document: Document, agent: string, field: string, value: unknown): Document => {
  const { [agent]: _, ...others } = agentsOf(document)
  const rules = withField(rulesOfAgent(document, agent), field, value)
  const agents = Object.keys(rules).length === 0 ? others : { ...others, [agent]: rules }
  return withField(document, "agents", Object.keys(agents).length === 0 ? undefined : agents)
}

/** The fields that presets have rules for. */
export const presetFields = ["calling_hours", "recall_gap_seconds", "number_limits"] as const

/** The account's rules with those of a preset in place of its own. Rules of single agents stay. */
export const replacedBy = (document: Document, preset: Policy): Document => ({
  ...document,
  ...preset,
  ...("agents" in document && { agents: document["agents"] })
})
