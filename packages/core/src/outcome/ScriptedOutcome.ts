/**
 * The outcome of a scripted conversation, as a pure function of its notes and its words. The answers are the contact's own words, and their
 * evidence is the contact's turn. The disposition is one of the agent's, chosen by what happened.
 */
import type { LoggedNote, Note } from "../domain/Conversation.ts"
import * as Limits from "../domain/Limits.ts"
import type { Quote, SourceOutcome } from "../domain/Outcome.ts"
import { contains, isRefusal } from "../rules/conversation/ContactWords.ts"
import { isOptOut } from "../rules/conversation/OptOut.ts"
import { type PhrasesByLanguage, phrasesOf } from "../rules/conversation/Phrases.ts"
import type { Conversation } from "./EndedConversation.ts"

/** What a conversation came to. */
export type Ending = "opt_out" | "callback" | "refused" | "answered" | "incomplete"

/**
 * Names of dispositions for each ending, the best first. If the agent has none of them, an answered conversation gets the agent's first
 * disposition and any other its last.
 */
export const names: Readonly<Record<Ending, ReadonlyArray<string>>> = {
  opt_out: ["do_not_call", "opt_out", "opted_out", "not_interested", "declined", "refused"],
  callback: ["callback", "call_back", "callback_requested", "call_later"],
  refused: ["not_interested", "declined", "refused", "rejected"],
  answered: ["completed", "answered"],
  incomplete: ["incomplete", "partial", "unknown", "other"]
}

export const scriptedOutcome = (conversation: Conversation, phrases: PhrasesByLanguage = {}): SourceOutcome => {
  const { agent, notes, transcript } = conversation
  const noted = answersOf(conversation)
  const ending = endingOf(conversation, noted.length, phrases)
  const callback = notes.findLast((note) => note._tag === "Callback")
  const meeting = notes.findLast((note) => note._tag === "Meeting")
  return {
    disposition: dispositionOf(ending, agent.dispositions),
    summary: `${summaryOf(ending, conversation, noted.length)}${transferOf(notes)}`.slice(0, Limits.outcomeTextLength),
    answers: Object.fromEntries(noted.map(({ answer, question }) => [question, answer])),
    callbackRequested: callback !== undefined,
    ...(callback?.timeText !== undefined && { callbackTimeText: callback.timeText }),
    ...(ending === "callback" && { followUp: "CALL" }),
    ...(meeting !== undefined && { meeting: { requested: true, ...timeOf(meeting) } }),
    ...(ending === "opt_out" && { doNotCall: true }),
    evidence: {
      answers: Object.fromEntries(noted.map((note) => [note.question, quoteOf(note, conversation)]))
    },
    transcript
  }
}

const transferOf = (notes: Conversation["notes"]): string => {
  const note = notes.findLast((one) => one._tag === "Transfer")
  if (note?._tag !== "Transfer") return ""
  return note.failed === true ? ` It could not be transferred to ${note.to}.` : ` It was transferred to ${note.to}.`
}

const timeOf = ({ timeText }: Extract<Note, { _tag: "Meeting" }>) => timeText === undefined ? {} : { timeText }

type NotedAnswer = Extract<LoggedNote, { readonly _tag: "Answer" }>

/** By the agent's questions; the last answer to a question counts. */
const answersOf = ({ agent, notes }: Conversation): ReadonlyArray<NotedAnswer> =>
  agent.questions.flatMap((question) => {
    const note = notes.findLast((one) => one._tag === "Answer" && one.question === question.trim())
    return note?._tag === "Answer" ? [{ ...note, question }] : []
  })

/** The contact's last turn with the words of the answer; else the one after which it was noted, for an agent that notes its own words. */
const quoteOf = ({ answer, sequence }: NotedAnswer, { transcript }: Conversation): Quote => {
  const until = transcript.slice(0, sequence)
  const said = until.findLastIndex(({ speaker, text }) =>
    speaker === "contact" && (contains(text, [answer]) || contains(answer, [text]))
  )
  const place = said < 0 ? sequence : said + 1
  const turn = place === undefined ? undefined : transcript[place - 1]
  return turn === undefined || place === undefined ? {} : { quote: turn.text, sequence: place }
}

/** An opt-out counts even if the agent was not asked to answer it, such as during its last words. */
const endingOf = ({ agent, notes, transcript }: Conversation, answered: number, own: PhrasesByLanguage): Ending => {
  const { words } = phrasesOf(agent.language, own)
  const said = transcript.flatMap(({ speaker, text }) => speaker === "contact" ? [text] : [])
  if (notes.some(({ _tag }) => _tag === "OptOut") || said.some((text) => isOptOut(text, words))) return "opt_out"
  if (notes.some(({ _tag }) => _tag === "Callback")) return "callback"
  if (answered === agent.questions.length && said.length > 0 && answered > 0) return "answered"
  if (said.some((text) => isRefusal(text, words))) return "refused"
  return answered === agent.questions.length && said.length > 0 ? "answered" : "incomplete"
}

const dispositionOf = (ending: Ending, dispositions: ReadonlyArray<string>): string =>
  dispositionsFor(ending, dispositions)[0] ?? "completed"

/** The dispositions of the agent that fit the ending, the best first. */
export const dispositionsFor = (ending: Ending, dispositions: ReadonlyArray<string>): ReadonlyArray<string> => {
  const named = names[ending].flatMap((name) => dispositions.filter((one) => snake(one) === name))
  return named.length > 0 ? named : ending === "answered" ? dispositions.slice(0, 1) : dispositions.slice(-1)
}

const snake = (name: string): string => name.trim().toLowerCase().replaceAll(/[\s_-]+/gu, "_")

const summaryOf = (ending: Ending, { agent, transcript }: Conversation, answered: number): string => {
  const total = agent.questions.length
  switch (ending) {
    case "opt_out":
      return "The contact asked not to be called again."
    case "callback":
      return "The contact asked for another call."
    case "refused":
      return "The contact did not want to talk."
    case "answered":
      return total === 0
        ? "The contact heard the message and replied."
        : `The contact answered ${total === 1 ? "the question" : `all ${total} questions`}.`
    case "incomplete":
      return transcript.some(({ speaker }) => speaker === "contact")
        ? `The contact answered ${answered} of ${total} ${total === 1 ? "question" : "questions"}.`
        : "The contact said nothing."
    default:
      return ending satisfies never
  }
}
