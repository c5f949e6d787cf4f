/**
 * The tools that every agent of a language model has. They note, press and end, and nothing else: what a model asks for beyond them is
 * a tool of the host application, which the engine checks and runs.
 */
import { Agent, type Conversation, FieldPath, Problems, SpokenText, type TextAgent } from "@outdial/core"
import { Effect, Result, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

type Brief = Pick<Agent.AgentBrief, "questions" | "transferNumbers">

/** How an answer ends the conversation: also with a transfer to this name. */
export type Ending = "ended" | "opted_out" | { readonly transferTo: string }

/** What comes of a tool. */
export interface Used {
  readonly parts: ReadonlyArray<Conversation.AgentPart>
  /** For the model. */
  readonly result: string
  /** The model has used it wrongly. */
  readonly isFailure?: boolean
  /** How the conversation ends after the words of this answer. */
  readonly ends?: Ending
}

/** A tool with what it does. Its parameters are decoded from what a model gives. */
const builtIn = <P extends Schema.ConstraintDecoder<unknown>>(options: {
  readonly name: string
  readonly description: string
  readonly parameters: P
  readonly use: (given: P["Type"], brief: Brief) => Used
}) => ({
  tool: Tool.make(options.name, { description: options.description, parameters: options.parameters }),
  use: (params: unknown, brief: Brief): Used =>
    Result.match(Schema.decodeUnknownResult(options.parameters)(params, { errors: "all" }), {
      onFailure: ({ issue }) =>
        wrong(Problems.problems(issue).map(({ message, path }) => `${FieldPath.pathText(path)} ${message}`).join("; ")),
      onSuccess: (given) => options.use(given, brief)
    })
})

const wrong = (problem: string): Used => ({
  parts: [],
  result: `The tool was not used: ${problem.trim().slice(0, 500)}.`,
  isFailure: true
})

const note = (note: Conversation.AgentNote, result: string): Used => ({ parts: [{ _tag: "Note", note }], result })

const timeText = Schema.optionalKey(
  Schema.String.annotate({ description: "When, in the contact's own words. Leave it out if they named no time." })
)

const noted = "Noted. Say nothing that you have already said."

const recordAnswer = builtIn({
  name: "record_answer",
  description:
    "Records the contact's answer to one of your questions. Use it as soon as they have answered, and again if they " +
    "correct themselves.",
  parameters: Schema.Struct({
    question: Schema.Int.annotate({ description: "The number of the question" }),
    answer: Schema.String.annotate({
      description: "The answer in the contact's own words, without anything that they did not say"
    })
  }),
  use: ({ answer, question: number }, { questions }) => {
    const question = questions[number - 1]
    if (question === undefined) return wrong(`there is no question ${number}, the last is ${questions.length}`)
    return SpokenText.hasWords(answer)
      ? note({ _tag: "Answer", question, answer: answer.trim() }, noted)
      : wrong("the answer has no words")
  }
})

const requestCallback = builtIn({
  name: "request_callback",
  description: "Notes that the contact wants to be called another time.",
  parameters: Schema.Struct({ time: timeText }),
  use: ({ time }) => note({ _tag: "Callback", ...(time !== undefined && { timeText: time }) }, noted)
})

const requestMeeting = builtIn({
  name: "request_meeting",
  description: "Notes that the contact wants a meeting.",
  parameters: Schema.Struct({ time: timeText }),
  use: ({ time }) => note({ _tag: "Meeting", ...(time !== undefined && { timeText: time }) }, noted)
})

const stopCalling = builtIn({
  name: "stop_calling",
  description:
    "Puts the contact on the do-not-call list, for good, and ends the call. Use it when they ask not to be called again, in " +
    "whatever words, and not when they only have no time or no interest.",
  parameters: Schema.Struct({}),
  use: () => ({ ...note({ _tag: "OptOut" }, "The number is on the do-not-call list."), ends: "opted_out" })
})

const endCall = builtIn({
  name: "end_call",
  description: "Ends the call when the contact has heard what you have said. Say goodbye first.",
  parameters: Schema.Struct({}),
  use: () => ({ parts: [], result: "The call ends.", ends: "ended" })
})

const pressDigits = builtIn({
  name: "press_digits",
  description: "Presses keys of the telephone, to find your way through a telephone menu.",
  parameters: Schema.Struct({
    digits: Schema.String.annotate({ description: "1 to 64 of 0-9, * and #; w is a pause of half a second" }).check(
      Schema.isPattern(/^[0-9*#w]{1,64}$/u, { message: "must have 1 to 64 of 0-9, *, # and w" })
    )
  }),
  use: ({ digits }) => ({ parts: [{ _tag: "Press", digits }], result: "Pressed. Wait for what the menu says." })
})

const transfer = builtIn({
  name: "transfer",
  description:
    "Transfers the call to somebody else, when the contact has heard what you have said. Say first to whom you transfer it.",
  parameters: Schema.Struct({
    to: Schema.String.annotate({ description: "To whom, by one of the names under \"Transfers\"" })
  }),
  use: ({ to }, { transferNumbers }) => {
    const found = Agent.transferNumber(transferNumbers, to)
    if (found !== undefined) {
      return { parts: [], result: "The call is transferred.", ends: { transferTo: found.name } }
    }
    const names = transferNumbers.map(({ name }) => JSON.stringify(name)).join(", ")
    return wrong(names === "" ? "this call cannot be transferred" : `it can only be transferred to ${names}`)
  }
})

const all = [recordAnswer, requestCallback, requestMeeting, stopCalling, endCall, pressDigits, transfer]

const byName: ReadonlyMap<string, (typeof all)[number]> = new Map(all.map((one) => [one.tool.name, one]))

export const names: ReadonlyArray<string> = [...byName.keys()]

/** What the model may use in a conversation. Nothing is run by effect/ai: a tool runs once its intent is on record. */
export const toolkit = (
  brief: Brief,
  available: TextAgent.AgentTools["available"]
): Toolkit.WithHandler<Record<string, Tool.Any>> => ({
  tools: Toolkit.make(
    ...all.filter((one) => isUseful(one, brief)).map(({ tool }) => tool),
    ...available.map(hostTool)
  ).tools,
  handle: (name) => Effect.die(new Error(`The tool ${name} must not be run by effect/ai`))
})

const isUseful = (one: (typeof all)[number], { questions, transferNumbers }: Brief): boolean =>
  one === recordAnswer ? questions.length > 0 : one !== transfer || transferNumbers.length > 0

/** Uses a built-in tool; none has this name if the result is `undefined`. */
export const use = (name: string, params: unknown, brief: Brief): Used | undefined =>
  byName.get(name)?.use(params, brief)

/** A use of a built-in tool that leaves this note. */
export const useOf = (
  note: Conversation.AgentNote,
  { questions }: Pick<Brief, "questions">
): { readonly name: string; readonly params: object } => {
  switch (note._tag) {
    case "Answer":
      return {
        name: recordAnswer.tool.name,
        params: { question: questions.indexOf(note.question) + 1, answer: note.answer }
      }
    case "Callback":
      return { name: requestCallback.tool.name, params: timeOf(note) }
    case "Meeting":
      return { name: requestMeeting.tool.name, params: timeOf(note) }
    case "OptOut":
      return { name: stopCalling.tool.name, params: {} }
    default:
      return note satisfies never
  }
}

const timeOf = ({ timeText }: { readonly timeText?: string }) => timeText === undefined ? {} : { time: timeText }

const hostTools = new WeakMap<TextAgent.AgentTools["available"][number], Tool.Any>()

/** The model's view of a tool of the host application. */
const hostTool = (described: TextAgent.AgentTools["available"][number]): Tool.Any => {
  const known = hostTools.get(described)
  if (known !== undefined) return known
  const { description, name, parameters } = described
  const made = Tool.dynamic(name, { description, parameters })
  hostTools.set(described, made)
  return made
}
