/** Prints a conversation: its log as JSON, or how it ended as lines of text. */
import { type Conversation, type Outcome, type TypedLine, Wire } from "@outdial/core"
import { Schema, String as Str } from "effect"

/** Names in snake_case. The keys of a tool's arguments and result are not ours. */
export const entryJson = (entry: Conversation.Entry) => {
  const { _tag, ...fields } = entry
  return {
    type: Str.camelToSnake(Str.uncapitalize(_tag)),
    ...snakeKeys(fields),
    ...("note" in entry && { note: noteJson(entry.note) })
  }
}

const noteJson = ({ _tag, ...fields }: Conversation.Note) => ({
  type: Str.camelToSnake(Str.uncapitalize(_tag)),
  ...snakeKeys(fields)
})

const snakeKeys = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [Str.camelToSnake(key), value]))

const encodeOutcome = Schema.encodeSync(Wire.OutcomeWire)

export const outcomeJson = (outcome: Outcome.Outcome) => ({ type: "outcome", outcome: encodeOutcome(outcome) })

export const latencyJson = (latencies: ReadonlyArray<TypedLine.Latency>) => ({
  type: "latency",
  turns: latencies,
  ...latencies.length > 0 && { p50_millis: percentile(latencies, 0.5), p95_millis: percentile(latencies, 0.95) }
})

/** How the conversation ended, what was noted and came of it, and how long the contact waited for each answer. */
export const summary = (
  entries: ReadonlyArray<Conversation.Entry>,
  outcome: Outcome.Outcome | null,
  latencies: ReadonlyArray<TypedLine.Latency>
): ReadonlyArray<string> => [
  "",
  ...entries.flatMap((entry) => {
    switch (entry._tag) {
      case "Over":
        return [`The call has ended: ${reasons[entry.reason]} (${entry.reason})`]
      case "Failed":
        return [`The agent failed: ${entry.cause}`]
      default:
        return []
    }
  }),
  ...titled("Notes", entries.flatMap((entry) => entry._tag === "Noted" ? [noteText(entry.note)] : [])),
  ...titled("Outcome", outcome === null ? [] : outcomeText(outcome)),
  ...titled(
    "From the contact's words to the first words of the answer",
    latencies.map(({ millis, words }) => `${String(millis).padStart(6)} ms  ${words}`)
  ),
  ...latencies.length > 0
    ? [`  p50 ${percentile(latencies, 0.5)} ms, p95 ${percentile(latencies, 0.95)} ms`]
    : []
]

const reasons: Readonly<Record<Conversation.EndReason, string>> = {
  agent_ended: "the agent said goodbye",
  contact_hung_up: "you hung up",
  contact_silent: "you said nothing",
  max_duration: "it reached its longest duration",
  voicemail: "a voicemail box answered",
  machine: "a machine answered",
  transferred: "it was transferred",
  opt_out: "you asked not to be called again",
  agent_failed: "the agent failed",
  hang_up_requested: "a hang-up was requested",
  line_failed: "the line failed",
  shutdown: "the process was stopped"
}

const titled = (title: string, lines: ReadonlyArray<string>) =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)]

const noteText = (note: Conversation.Note): string => {
  switch (note._tag) {
    case "Answer":
      return `${note.question} ${note.answer}`
    case "Callback":
      return `Call back${note.timeText === undefined ? "" : `: ${note.timeText}`}`
    case "Meeting":
      return `Meeting${note.timeText === undefined ? "" : `: ${note.timeText}`}`
    case "Transfer":
      return note.failed === true ? `Could not be transferred: ${note.to}` : `Transferred: ${note.to}`
    case "OptOut":
      return "The number is on the do-not-call list"
    default:
      return note satisfies never
  }
}

const outcomeText = ({ answers, disposition, evidence, summary }: Outcome.Outcome): ReadonlyArray<string> => [
  `${disposition}: ${summary}`,
  ...Object.entries(answers).map(([question, answer]) => {
    const { quote, sequence } = evidence?.answers[question] ?? {}
    return `${question} ${answer}${quote === undefined ? "" : ` (turn ${sequence}: ${quote})`}`
  }),
  ...Object.entries(evidence?.answers ?? {}).flatMap(([question, { status }]) =>
    status === "unknown" ? [`${question} unknown`] : []
  )
]

/** The latency that this share of the turns did not exceed. */
const percentile = (latencies: ReadonlyArray<TypedLine.Latency>, share: number): number => {
  const sorted = latencies.map(({ millis }) => millis).sort((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}
