/** Runs a conversation on virtual milliseconds, and writes down what happens as lines such as `1500 speak One moment, please.` */
import type { Schema } from "effect"
import * as Conversation from "../../src/rules/conversation/Conversation.ts"
import { phrasesOf } from "../../src/rules/conversation/Phrases.ts"
import type { AskedTool } from "../../src/rules/conversation/ToolCall.ts"
import type { AgentInput, AgentNote, AgentPart, Entry, LineEvent } from "../../src/domain/Conversation.ts"

export const settings: Conversation.Settings = {
  phrases: phrasesOf("en"),
  maxDuration: 600_000,
  silence: 10_000,
  interruptible: true
}

/** The latest request, and the utterances that the line has not reported on. */
interface Known {
  readonly request: number
  readonly speech: ReadonlyArray<number>
}

export type Happening = (known: Known) => Conversation.Input

const line = (event: LineEvent): Happening => () => ({ _tag: "Line", event })
const part = (produced: AgentPart): Happening => ({ request }) => ({ _tag: "Part", request, part: produced })

export const answered: Happening = () => ({ _tag: "Answered" })
export const answeredBy = (machine: "voicemail" | "ivr" | "fax"): Happening => () => ({ _tag: "Answered", machine })
export const hears = (text: string): Happening => line({ _tag: "Heard", text, isFinal: true })
export const hearsPartly = (text: string): Happening => line({ _tag: "Heard", text, isFinal: false })
export const speechStarts = line({ _tag: "SpeechStarted" })
export const digits = (pressed: string): Happening => line({ _tag: "Digits", digits: pressed })
export const machine = (kind: "voicemail" | "ivr" | "fax"): Happening => line({ _tag: "Machine", kind })
export const closes = line({ _tag: "Closed" })
export const lineFails = line({ _tag: "Failed", cause: "no speech" })
/** The first utterance that is not known to be heard, unless another is named. */
export const plays = (utterance?: number): Happening => ({ speech: [first = 0] }) => ({
  _tag: "Line",
  event: { _tag: "Played", utterance: utterance ?? first }
})
export const stops = (heard: string, utterance?: number): Happening => ({ speech: [first = 0] }) => ({
  _tag: "Line",
  event: { _tag: "Stopped", utterance: utterance ?? first, heard }
})
export const says = (text: string, interruptible?: boolean): Happening =>
  part({ _tag: "Say", text, ...(interruptible !== undefined && { interruptible }) })
export const presses = (pressed: string): Happening => part({ _tag: "Press", digits: pressed })
export const notes = (note: AgentNote): Happening => part({ _tag: "Note", note })
export const ends = part({ _tag: "End" })
export const transfersTo = (to: string): Happening => part({ _tag: "Transfer", to })
export const isTransferred = (isTransferred: boolean): Happening => () => ({ _tag: "Transferred", isTransferred })
export const isDone: Happening = ({ request }) => ({ _tag: "Done", request })
export const fails = (cause: string): Happening => ({ request }) => ({ _tag: "Failed", request, cause })
/** The agent asks for a tool that may take 10 seconds, in the request that is open unless another is named. */
export const asksTool =
  (ask: number, name: string, args: Schema.Json = {}, options: Partial<AskedTool> = {}): Happening =>
  (
    { request }
  ) => ({
    _tag: "ToolAsked",
    request,
    ask,
    name,
    arguments: args,
    timeout: 10_000,
    isReadOnly: false,
    ...options
  })
export const toolAnswers = (id: string, result: Schema.Json): Happening => () => ({
  _tag: "ToolAnswered",
  id,
  answer: { result }
})
export const isStopped = (reason: "hang_up_requested" | "shutdown"): Happening => () => ({ _tag: "Stop", reason })

export interface Options {
  readonly settings?: Partial<Conversation.Settings>
  /** Follows the conversation without further input until this time. Default: the time of the last happening. */
  readonly until?: number
  readonly from?: Conversation.State
}

export interface Result {
  readonly lines: ReadonlyArray<string>
  readonly entries: ReadonlyArray<Entry>
  readonly state: Conversation.State
}

export const run = (
  happenings: ReadonlyArray<readonly [number, ...ReadonlyArray<Happening>]>,
  options: Options = {}
): Result => {
  let state = options.from ?? Conversation.start({ ...settings, ...options.settings })
  let wakeAt = Infinity
  let request = 0
  const lines: Array<string> = []
  const entries: Array<Entry> = []
  const take = (input: Conversation.Input, now: number) => {
    const next = Conversation.step(state, input, now)
    state = next.state
    wakeAt = next.wakeAt
    for (const action of next.actions) {
      if (action._tag === "Ask") request = action.request
      if (action._tag === "Log") entries.push(action.entry)
      const written = lineOf(action)
      if (written !== undefined) lines.push(`${now} ${written}`)
    }
  }
  const pass = (to: number) => {
    while (wakeAt <= to) take({ _tag: "Time" }, wakeAt)
  }
  for (const [at, ...atOnce] of happenings) {
    pass(at)
    for (const happening of atOnce) take(happening({ request, speech: state.speech.map(({ id }) => id) }), at)
  }
  pass(options.until ?? 0)
  return { lines, entries, state }
}

/** The lines alone. */
export const linesOf = (...parameters: Parameters<typeof run>) => run(...parameters).lines

const lineOf = (action: Conversation.Action): string | undefined => {
  switch (action._tag) {
    case "Speak":
      return `speak ${action.text}${action.interruptible ? "" : " (to the end)"}`
    case "StopSpeaking":
      return "stop speaking"
    case "Press":
      return `press ${action.digits}`
    case "Transfer":
      return `transfer to ${action.number}`
    case "Release":
      return "release"
    case "HangUp":
      return "hang up"
    case "Ask":
      return `ask ${inputOf(action.input)}`
    case "Interrupt":
      return "interrupt the agent"
    case "OptOut":
      return "opt out"
    case "Warn":
      return `warn: ${action.problem}`
    case "Log":
      return entryOf(action.entry)
    case "RunTool":
      return `run ${action.name} ${JSON.stringify(action.arguments)}`
    case "AnswerTool":
      return `answer ${action.ask}: ${action.answer.problem ?? JSON.stringify(action.answer.result)}`
    case "AgentHeard":
    case "Ignore":
      return undefined
    default:
      return action satisfies never
  }
}

const inputOf = (input: AgentInput): string => {
  switch (input._tag) {
    case "Words":
      return `"${input.text}"`
    case "Digits":
      return `digits ${input.digits}`
    case "Machine":
      return input.kind
    case "NotTransferred":
      return `not transferred to ${input.to}`
    default:
      return input._tag
  }
}

const entryOf = (entry: Entry): string => {
  switch (entry._tag) {
    case "Turn":
      return `${entry.speaker}: ${entry.text}${entry.interrupted === true ? " –" : ""}`
    case "Noted":
      if (entry.note._tag === "Transfer") {
        return `note ${entry.note.failed === true ? "no " : ""}transfer to ${entry.note.to}`
      }
      return `note ${entry.note._tag}`
    case "Failed":
      return `failed: ${entry.cause}`
    case "Machine":
      return `machine: ${entry.kind}`
    case "ModelUsed":
      return `${entry.model} used ${entry.inputTokens} + ${entry.outputTokens} tokens`
    case "ToolIntent":
      return `intent ${entry.id}: ${entry.name}`
    case "ToolResult":
      return `result ${entry.id}: ${entry.problem ?? JSON.stringify(entry.result)}`
    case "Over":
      return `over: ${entry.reason}`
    default:
      return entry satisfies never
  }
}
