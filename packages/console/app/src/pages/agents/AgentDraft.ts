/** An agent as it is edited: every field as the form shows it, and back. */
import type { Agent, AgentContent } from "../../data/Wire.ts"

/** As `GET /v1/agents/{id}` returns it to administrators. */
export type FullAgent =
  & Agent
  & Partial<Omit<AgentContent, "name" | "script" | "variables" | "questions" | "dispositions">>

export type VoicemailChoice = "default" | "leave_message" | "hang_up"

export interface TransferNumber {
  readonly name: string
  readonly number: string
}

/** Empty text is a field that is not given. */
export interface AgentDraft {
  readonly name: string
  readonly language: string
  readonly first_message: string
  readonly script: string
  readonly disclosure: string
  readonly questions: ReadonlyArray<string>
  readonly dispositions: ReadonlyArray<string>
  readonly voicemail: VoicemailChoice
  readonly voicemail_message: string
  readonly max_duration_seconds: string
  readonly silence_seconds: string
  readonly interruptible: boolean
  readonly end_phrases: ReadonlyArray<string>
  readonly caller_id: string
  readonly transfer_numbers: ReadonlyArray<TransferNumber>
  readonly model: string
  readonly voice: string
  readonly tools: ReadonlyArray<string>
  /** The values of placeholders for calls that give none. */
  readonly defaults: Readonly<Record<string, string>>
}

export const emptyDraft: AgentDraft = {
  name: "",
  language: "",
  first_message: "",
  script: "",
  disclosure: "",
  questions: [],
  dispositions: [],
  voicemail: "default",
  voicemail_message: "",
  max_duration_seconds: "",
  silence_seconds: "",
  interruptible: true,
  end_phrases: [],
  caller_id: "",
  transfer_numbers: [],
  model: "",
  voice: "",
  tools: [],
  defaults: {}
}

type Source = Partial<Omit<AgentContent, "variables">> & {
  readonly variables?: ReadonlyArray<{ readonly key: string; readonly default?: string }>
}

export const draftOf = (agent: Source): AgentDraft => ({
  name: agent.name ?? "",
  language: agent.language ?? "",
  first_message: agent.first_message ?? "",
  script: agent.script ?? "",
  disclosure: agent.disclosure ?? "",
  questions: agent.questions ?? [],
  dispositions: agent.dispositions ?? [],
  voicemail: agent.voicemail ?? "default",
  voicemail_message: agent.voicemail_message ?? "",
  max_duration_seconds: numberText(agent.max_duration_seconds),
  silence_seconds: numberText(agent.silence_seconds),
  interruptible: agent.interruptible ?? true,
  end_phrases: agent.end_phrases ?? [],
  caller_id: agent.caller_id ?? "",
  transfer_numbers: agent.transfer_numbers ?? [],
  model: agent.model ?? "",
  voice: agent.voice ?? "",
  tools: agent.tools ?? [],
  defaults: Object.fromEntries(
    (agent.variables ?? []).flatMap(({ default: value, key }) => value === undefined ? [] : [[key, value]])
  )
})

const numberText = (value: number | undefined): string => value === undefined ? "" : String(value)

/** What is sent. Text that is not a number is sent as it is, so that the server says what is wrong. */
export const definitionOf = (draft: AgentDraft): Readonly<Record<string, unknown>> => {
  const { defaults, interruptible, name, script } = draft
  const variables = Object.entries(defaults).map(([key, value]) => ({ key, default: value }))
  const transfers = draft.transfer_numbers.filter(({ name, number }) => name.trim() !== "" || number.trim() !== "")
  return {
    name,
    script,
    questions: filled(draft.questions),
    dispositions: filled(draft.dispositions),
    interruptible,
    ...given("language", draft.language.trim()),
    ...given("first_message", draft.first_message),
    ...given("disclosure", draft.disclosure),
    ...given("voicemail", draft.voicemail === "default" ? "" : draft.voicemail),
    ...given("voicemail_message", draft.voicemail_message),
    ...given("max_duration_seconds", numberOf(draft.max_duration_seconds)),
    ...given("silence_seconds", numberOf(draft.silence_seconds)),
    ...given("end_phrases", filled(draft.end_phrases)),
    ...given("caller_id", draft.caller_id.trim()),
    ...given("transfer_numbers", transfers),
    ...given("model", draft.model.trim()),
    ...given("voice", draft.voice.trim()),
    ...given("tools", filled(draft.tools).map((name) => name.trim())),
    ...given("variables", variables)
  }
}

const given = (key: string, value: string | number | ReadonlyArray<unknown>): Readonly<Record<string, unknown>> =>
  value === "" || (Array.isArray(value) && value.length === 0) ? {} : { [key]: value }

const numberOf = (text: string): string | number => /^[0-9]+$/.test(text.trim()) ? Number(text) : text.trim()

const isFilled = (text: string): boolean => text.trim() !== ""
const filled = (items: ReadonlyArray<string>): ReadonlyArray<string> => items.filter(isFilled)

/** The values that every call has; they need no default. */
const builtIn = ["contact.name", "contact.email", "contact.external_id"]

/** The placeholders of the texts in their order, then others that have a default. */
export const variablesOf = (
  { defaults, disclosure, first_message, script, voicemail_message }: AgentDraft
): ReadonlyArray<string> => {
  const texts = [first_message, script, disclosure, voicemail_message].join("\n")
  const keys = Array.from(texts.matchAll(/\{\{([^{}]*)\}\}/g), ([, key = ""]) => key.trim())
  return [...new Set([...keys, ...Object.keys(defaults)])].filter((key) => key !== "" && !builtIn.includes(key))
}

const lists: ReadonlyArray<string> = ["questions", "dispositions", "end_phrases", "tools"] satisfies ReadonlyArray<
  keyof AgentDraft
>

/**
 * The name of the form's field that a problem is about, from its JSON Pointer. Empty entries of lists are not sent, so that the place of an entry in
 * what was sent is not its place in the form.
 */
export const fieldOf = (pointer: string, draft: AgentDraft): string => {
  const [field = "", place, ...rest] = pointer.split("/").slice(1)
  if (place === undefined || !/^[0-9]+$/.test(place)) return field
  const at = (isSent: ReadonlyArray<boolean>) =>
    isSent.flatMap((sent, index) => sent ? [index] : [])[Number(place)] ?? Number(place)
  if (field === "variables") {
    const key = Object.keys(draft.defaults)[Number(place)]
    return key === undefined ? field : `defaults.${key}`
  }
  if (field === "transfer_numbers") {
    const sent = draft.transfer_numbers.map(({ name, number }) => isFilled(name) || isFilled(number))
    return [field, at(sent), ...rest].join(".")
  }
  if (!lists.includes(field)) return field
  return `${field}.${at(draft[field as "questions"].map(isFilled))}` // one of `lists`
}
