/**
 * What the scripted agent answers, as a pure function of its brief and the log: it says the first message, asks each question, notes the
 * contact's words as the answers, and says goodbye. It asks a question at most twice. An opt-out, a request for another call and a
 * refusal end the conversation.
 */
import type { AgentInput, AgentPart, Entry } from "../../domain/Conversation.ts"
import * as ContactWords from "./ContactWords.ts"
import { firstWords, type Texts } from "./FirstWords.ts"
import { isOptOut } from "./OptOut.ts"
import type { Phrases } from "./Phrases.ts"
import { hasWords } from "./SpokenText.ts"

export interface ScriptedBrief extends Texts {
  readonly questions: ReadonlyArray<string>
}

/** The answer to an input. The entries contain the words that it is to. */
export const scriptedAnswer = (
  brief: ScriptedBrief,
  phrases: Phrases,
  input: AgentInput,
  entries: ReadonlyArray<Entry>
): ReadonlyArray<AgentPart> => {
  // A menu cannot be answered without understanding it.
  if (input._tag === "Machine") return [end]
  const agenda = agendaOf(brief, phrases)
  const progress = progressOf(agenda, phrases, entries)
  const said = wordsOf(input)
  if (isOptOut(said, phrases.words)) {
    return [{ _tag: "Note", note: { _tag: "OptOut" } }, say(phrases.optedOut), end]
  }
  if (ContactWords.isCallback(said, phrases.words)) {
    return [{ _tag: "Note", note: { _tag: "Callback", timeText: said } }, say(phrases.callback), end]
  }
  if (ContactWords.isRefusal(said, phrases.words)) return [say(phrases.refused), end]
  if (ContactWords.isGoodbye(said, phrases.words)) {
    const isAnswered = progress.reply !== "" && !ContactWords.isOnlyGoodbye(said, phrases.words)
    return [...isAnswered ? answerOf(progress) : [], say(phrases.goodbye), end]
  }
  return goOn(agenda, phrases, progress)
}

/** One thing that the agent says. The goodbye is the last. */
interface Item {
  readonly kind: "message" | "question" | "goodbye"
  readonly text: string
}

/** How far the conversation has come. */
interface Progress {
  /** The place on the agenda of what was said last; -1 before anything was heard. */
  readonly index: number
  readonly item: Item | undefined
  /** How often the contact has heard the beginning of it. */
  readonly asked: number
  /** Most characters of it that were heard at once. */
  readonly heard: number
  readonly isComplete: boolean
  /** Whether the contact was then asked whether they are still there. */
  readonly wasPrompted: boolean
  /** What the contact has said since. */
  readonly reply: string
}

const end: AgentPart = { _tag: "End" }

const say = (text: string): AgentPart => ({ _tag: "Say", text })

const agendaOf = (brief: ScriptedBrief, phrases: Phrases): ReadonlyArray<Item> => {
  return [
    { kind: "message" as const, text: firstWords(brief) },
    ...brief.questions.map((question) => ({ kind: "question" as const, text: question.trim() })),
    { kind: "goodbye" as const, text: phrases.goodbye }
  ].filter(({ text }) => hasWords(text))
}

const wordsOf = (input: AgentInput): string =>
  input._tag === "Words" ? input.text : input._tag === "Digits" ? input.digits : ""

type Turn = Extract<Entry, { _tag: "Turn" }>

const progressOf = (agenda: ReadonlyArray<Item>, phrases: Phrases, entries: ReadonlyArray<Entry>): Progress => {
  // A turn that was interrupted is logged after the words that interrupted it.
  const turns = entries.filter((entry) => entry._tag === "Turn").sort((one, other) => one.at - other.at)
  let progress = before(agenda, -1)
  let replies: ReadonlyArray<string> = []
  for (const turn of turns) {
    if (turn.speaker === "contact") {
      replies = [...replies, turn.text]
      continue
    }
    if (turn.text === phrases.prompt) progress = { ...progress, wasPrompted: true }
    const index = placeOf(agenda, turn, progress.index, replies.length > 0)
    if (index < 0) continue
    progress = spoken(index === progress.index ? progress : before(agenda, index), turn)
    replies = []
  }
  return { ...progress, reply: replyOf(replies, phrases) }
}

const before = (agenda: ReadonlyArray<Item>, index: number): Progress => ({
  index,
  item: agenda[index],
  asked: 0,
  heard: 0,
  isComplete: false,
  wasPrompted: false,
  reply: ""
})

const spoken = (progress: Progress, { interrupted = false, text }: Turn): Progress => {
  const whole = progress.item?.text ?? ""
  return {
    ...progress,
    asked: progress.asked + (whole.startsWith(text) ? 1 : 0),
    heard: Math.max(progress.heard, text.length),
    isComplete: progress.isComplete || !interrupted && whole.endsWith(text),
    wasPrompted: false
  }
}

/** The place of a turn on the agenda; -1 for fillers and the like. After a reply the agent has probably gone on. */
const placeOf = (
  agenda: ReadonlyArray<Item>,
  { interrupted = false, text }: Turn,
  current: number,
  hasReply: boolean
): number => {
  const whole = agenda.findIndex((item, index) => index >= current && item.text === text)
  if (whole >= 0) return whole
  const isPiece = (item: Item | undefined) =>
    item !== undefined && (interrupted ? item.text.includes(text) : item.text.endsWith(text))
  const later = agenda.findIndex((item, index) => index > current && isPiece(item))
  const isCurrent = isPiece(agenda[current])
  return isCurrent && (!hasReply || later < 0) ? current : later
}

/** What the contact said, without sounds of attention when there is more. */
const replyOf = (replies: ReadonlyArray<string>, phrases: Phrases): string => {
  if (replies.every((reply) => /^[0-9*#]+$/u.test(reply))) return replies.join("")
  const answers = replies.filter((reply) => !ContactWords.isBackchannel(reply, phrases.words))
  return (answers.length > 0 ? answers : replies).join(" ")
}

const goOn = (agenda: ReadonlyArray<Item>, phrases: Phrases, progress: Progress): ReadonlyArray<AgentPart> => {
  const { asked, isComplete, item, reply } = progress
  if (item === undefined) return from(agenda, 0)
  if (item.kind === "goodbye") return isComplete && reply === "" ? [end] : [say(item.text), end]
  if (reply === "") return isComplete ? [] : [say(item.text)]
  if (asked < 2 && !isReply(progress, phrases)) {
    return item.kind === "message" ? [say(item.text)] : [say(phrases.repeat), say(item.text)]
  }
  return [...answerOf(progress), ...from(agenda, progress.index + 1)]
}

const from = (agenda: ReadonlyArray<Item>, index: number): ReadonlyArray<AgentPart> => {
  const item = agenda[index]
  return item === undefined ? [end] : item.kind === "goodbye" ? [say(item.text), end] : [say(item.text)]
}

/** Whether the contact has heard enough to reply, and what they said can be a reply. */
const isReply = ({ heard, isComplete, item, reply, wasPrompted }: Progress, phrases: Phrases): boolean => {
  if (item === undefined || (!isComplete && heard * 2 < item.text.length)) return false
  if (ContactWords.isPardon(reply, phrases.words)) return false
  if (item.kind === "message") return true
  if (wasPrompted && ContactWords.isPresence(reply, phrases.words)) return false
  if (ContactWords.answersNothing(reply, phrases.words)) return false
  return !(ContactWords.isOpenQuestion(item.text, phrases.words) && ContactWords.isBackchannel(reply, phrases.words))
}

const answerOf = ({ item, reply }: Progress): ReadonlyArray<AgentPart> =>
  item?.kind === "question" ? [{ _tag: "Note", note: { _tag: "Answer", question: item.text, answer: reply } }] : []
