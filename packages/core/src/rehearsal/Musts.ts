/**
 * What must hold in every call of a rehearsal, whatever the agent says, as pure functions of the log. They do not trust the rules that
 * conducted the conversation.
 */
import { Duration } from "effect"
import type { AgentBrief } from "../domain/Agent.ts"
import type { Entry } from "../domain/Conversation.ts"
import { monologue } from "../rules/conversation/AgentAnswer.ts"
import { contains } from "../rules/conversation/ContactWords.ts"
import { longestEnd } from "../rules/conversation/Conversation.ts"
import { phrasesOf } from "../rules/conversation/Phrases.ts"
import { speechMillis } from "../simulator/SimulatedLine.ts"

/** `agent`: it answered whenever it was asked. */
export type Must = "opt_outs" | "duration" | "silence" | "monologue" | "disclosure" | "agent"

export const musts: ReadonlyArray<Must> = ["opt_outs", "duration", "silence", "monologue", "disclosure", "agent"]

/** A must that was not kept, in words. */
export interface Failure {
  readonly must: Must
  readonly message: string
}

export interface Conversed {
  readonly agent: Pick<
    AgentBrief,
    "disclosure" | "language" | "maxDurationSeconds" | "silenceSeconds" | "voicemailMessage"
  >
  readonly entries: ReadonlyArray<Entry>
  /** Words of the persona that ask not to be called again. */
  readonly optOuts: ReadonlyArray<string>
  /** Whether the number is on the do-not-call list. */
  readonly isListed: boolean
  /** What went wrong in the agent. */
  readonly agentFailures: ReadonlyArray<string>
}

/** What was not kept; empty when all was. */
export const failures = (conversed: Conversed): ReadonlyArray<Failure> => {
  const { agent, agentFailures, entries, isListed } = conversed
  const found: Array<Failure> = []
  const fail = (must: Must, message: string) => void found.push({ must, message })

  const optOut = optOutIn(conversed)
  if (optOut !== undefined && !isListed) {
    fail("opt_outs", `The contact said ${JSON.stringify(optOut)}, and the number is not on the do-not-call list.`)
  }
  const length = entries.reduce((latest, { at }) => Math.max(latest, at), 0)
  const longest = agent.maxDurationSeconds * 1_000 + longestEnd
  if (length > longest) fail("duration", `The call took ${seconds(length)}; at most ${seconds(longest)} are allowed.`)
  const quiet = longestSilence(entries)
  if (quiet > agent.silenceSeconds * 1_000 + tolerance) {
    fail(
      "silence",
      `Neither side spoke for ${seconds(quiet)}; at most ${seconds(agent.silenceSeconds * 1_000)} are allowed.`
    )
  }
  const said = longestMonologue(conversed)
  if (said > monologue) {
    fail("monologue", `The agent said ${said} characters at once; at most ${monologue} are allowed.`)
  }
  const undisclosed = wordsBeforeDisclosure(conversed)
  if (undisclosed !== undefined) {
    fail("disclosure", `The agent said ${JSON.stringify(undisclosed)} before the disclosure was heard.`)
  }
  for (const entry of entries) if (entry._tag === "Failed") fail("agent", agentFailures.at(-1) ?? entry.cause)
  return found
}

/** The words of the contact that asked not to be called again, if it said them. */
export const optOutIn = ({ entries, optOuts }: Pick<Conversed, "entries" | "optOuts">): string | undefined =>
  entries.flatMap((entry) => isContactTurn(entry) ? [entry.text] : []).find((text) => contains(text, optOuts))

type Turn = Extract<Entry, { readonly _tag: "Turn" }>

const isTurn = (entry: Entry): entry is Turn => entry._tag === "Turn"

const isContactTurn = (entry: Entry): entry is Turn => isTurn(entry) && entry.speaker === "contact"

const seconds = (millis: number): string => `${Math.round(millis / 100) / 10} s`

/** Speech that was stopped before a word of it was heard is silence in the log, and so is the time that it takes to stop. */
const tolerance = Duration.toMillis("3 seconds")

/** The longest time without a word of either side, to the end of the call. */
const longestSilence = (entries: ReadonlyArray<Entry>): number => {
  const spoken = entries.flatMap((entry) => {
    if (entry._tag === "Over") return [{ from: entry.at, to: entry.at }]
    if (!isTurn(entry)) return []
    // The log has the words of the contact when they are final.
    return [{ from: entry.speaker === "contact" ? entry.at - speechMillis(entry.text) : entry.at, to: entry.endedAt }]
  }).sort((one, other) => one.from - other.from)
  let quietSince = 0
  let longest = 0
  for (const { from, to } of spoken) {
    longest = Math.max(longest, from - quietSince)
    quietSince = Math.max(quietSince, to)
  }
  return longest
}

/** Most characters that the agent said without the contact saying or doing anything. What the engine says is not counted. */
const longestMonologue = ({ agent, entries }: Conversed): number => {
  const phrases = phrasesOf(agent.language)
  const ours = [
    phrases.filler,
    phrases.prompt,
    phrases.fallback,
    phrases.goodbye,
    agent.disclosure,
    agent.voicemailMessage
  ]
  let said = 0
  let longest = 0
  for (const entry of entries.filter(isTurn)) {
    if (entry.speaker === "contact" || entry.text === phrases.prompt) said = 0
    if (entry.speaker === "contact" || ours.includes(entry.text)) continue
    said += entry.text.length
    longest = Math.max(longest, said)
    if (entry.interrupted === true) said = 0
  }
  return longest
}

/** The first words of the agent, if they are not those of its disclosure or the disclosure was not heard to its end before them. */
const wordsBeforeDisclosure = ({ agent: { disclosure = "" }, entries }: Conversed): string | undefined => {
  if (disclosure === "") return undefined
  const said = entries.filter(isTurn).filter(({ speaker }) => speaker === "agent")
  const whole = said.findIndex(({ text }) => text === disclosure)
  return said.slice(0, whole < 0 ? said.length : whole).find(({ text }) => !disclosure.includes(text))?.text
}
