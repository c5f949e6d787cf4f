/** What the agent is asked, and what becomes of the parts of its answers. */
import { transferNumber } from "../../domain/Agent.ts"
import type { AgentInput, AgentPart, Note } from "../../domain/Conversation.ts"
import * as Limits from "../../domain/Limits.ts"
import { end, fail, interruptRequest, leaveWhenHeard, over } from "./ConversationEnd.ts"
import type { Draft, Request } from "./ConversationState.ts"
import { isProtected, say, stopSpeaking } from "./Speech.ts"
import { beginning, hasWords } from "./SpokenText.ts"

/** Longest answer, in characters: about a minute and a half of speech at 15 characters a second. */
export const monologue = 1_500

/** Most digits of an answer: half a minute of tones, and longer than any number. */
const mostDigits = 64

/** Most parts of an answer: an answer of this many notes or digits is a fault of the agent. */
const mostParts = 200

/** After so many transfers that fail, an agent that asks for another one would go on for ever. */
const mostFailedTransfers = 3

export const ask = (draft: Draft, input: AgentInput): void => {
  interruptRequest(draft)
  draft.lastId += 1
  draft.request = { id: draft.lastId, at: draft.now, input, said: 0, parts: 0, toolCalls: 0, pressed: 0 }
  draft.hasFilled = false
  draft.quietSince = draft.now
  draft.actions.push({ _tag: "Ask", request: draft.lastId, input })
}

/** The contact said something that the agent is to answer. */
export const wait = (draft: Draft, input: AgentInput): void => {
  draft.waiting = both(draft.waiting, input)
}

/**
 * Asks the agent to answer what the contact said: after speech that cannot be interrupted, and when the line has stopped, so that the
 * agent knows what of its words was heard.
 */
export const answerWaiting = (draft: Draft): void => {
  if (draft.phase !== "talking" || draft.waiting === undefined || isProtected(draft)) return
  if (draft.transferring !== undefined) return
  // The agent has not begun to answer the words before these. It answers both together.
  if (draft.request?.said === 0) draft.waiting = both(contactInput(draft.request.input), draft.waiting)
  interruptRequest(draft)
  draft.interruption = undefined
  draft.endsWhenHeard = false
  draft.transferTo = undefined
  stopSpeaking(draft)
  if (draft.stopping !== undefined) return
  const input = draft.waiting
  draft.waiting = undefined
  ask(draft, input)
}

const contactInput = (input: AgentInput): AgentInput | undefined =>
  input._tag === "Words" || input._tag === "Digits" ? input : undefined

/** Two inputs of the contact as one. Of very long ones the end counts. */
const both = (first: AgentInput | undefined, second: AgentInput): AgentInput => {
  if (first === undefined) return second
  if (first._tag === "Digits" && second._tag === "Digits") {
    return { _tag: "Digits", digits: (first.digits + second.digits).slice(-64) }
  }
  return { _tag: "Words", text: `${textOf(first)} ${textOf(second)}`.trim().slice(-Limits.outcomeTextLength) }
}

const textOf = (input: AgentInput): string =>
  input._tag === "Words" ? input.text : input._tag === "Digits" ? input.digits : ""

export const part = (draft: Draft, request: Request, produced: AgentPart): void => {
  draft.request = { ...request, parts: request.parts + 1 }
  // Notes are not heard. They may be taken while the agent's words are.
  if (request.said > 0 && draft.speech.length > 0) draft.request = { ...draft.request, at: draft.now }
  switch (produced._tag) {
    case "Say":
      said(draft, draft.request, produced)
      break
    case "Press":
      press(draft, draft.request, produced.digits)
      break
    case "Note":
      noted(draft, clipped(produced.note))
      break
    case "ModelUsed":
      draft.actions.push({ _tag: "Log", entry: { ...produced, at: draft.now } })
      break
    case "Transfer":
      if (transferNumber(draft.settings.transferNumbers ?? [], produced.to) === undefined) {
        draft.actions.push({
          _tag: "Warn",
          problem: "The agent asks for a transfer that it may not make, or the line cannot"
        })
        return notTransferred(draft, produced.to)
      }
      draft.transferTo = produced.to
      break
    case "End":
      draft.endsWhenHeard = true
      break
    default:
      produced satisfies never
  }
  const isTooLong = draft.request.said > monologue || draft.request.parts >= mostParts
  if (isTooLong) {
    draft.actions.push({
      _tag: "Warn",
      problem: `The agent's answer is longer than ${monologue} characters or ${mostParts} parts, and was cut`
    })
  }
  const isLast = produced._tag === "End" || produced._tag === "Transfer"
  if (!isLast && !isTooLong && draft.request.said < monologue) return
  draft.actions.push({ _tag: "Interrupt", request: request.id })
  done(draft)
}

/** The answer is complete, or as long as an answer may be. */
export const done = (draft: Draft): void => {
  const hasSaid = draft.request !== undefined && draft.request.said > 0
  draft.request = undefined
  draft.unanswered = 0
  if (draft.speech.length === 0) draft.quietSince = draft.now
  if (draft.hasOptedOut) return end(draft, "opt_out", hasSaid ? undefined : draft.settings.phrases.goodbye)
  answerWaiting(draft)
  leaveWhenHeard(draft)
}

/** The line has connected the contact, or has not. */
export const transferred = (draft: Draft, isTransferred: boolean): void => {
  const to = draft.transferring
  if (to === undefined) return
  draft.transferring = undefined
  if (isTransferred) return over(draft, "transferred")
  notTransferred(draft, to)
}

/** The agent says so, and goes on. */
export const notTransferred = (draft: Draft, to: string): void => {
  noted(draft, { _tag: "Transfer", to: clip(to), failed: true })
  if (draft.phase !== "talking") return
  draft.failedTransfers += 1
  if (draft.failedTransfers > mostFailedTransfers) return fail(draft, "The agent asks again for transfers that fail")
  ask(draft, { _tag: "NotTransferred", to })
}

const said = (
  draft: Draft,
  request: Request,
  { interruptible = true, text }: Extract<AgentPart, { _tag: "Say" }>
): void => {
  const words = text.trim()
  if (!hasWords(words)) return
  const spoken = beginning(words, monologue - request.said)
  draft.request = { ...request, at: draft.now, said: request.said + words.length }
  draft.unanswered = 0
  if (hasWords(spoken)) say(draft, { text: spoken, interruptible })
}

const press = (draft: Draft, request: Request, produced: string): void => {
  const digits = produced.replaceAll(/[^0-9A-D*#w]/gu, "").slice(0, mostDigits - request.pressed)
  if (digits === "") return
  draft.request = { ...request, at: draft.now, pressed: request.pressed + digits.length }
  draft.unanswered = 0
  draft.actions.push({ _tag: "Press", digits })
}

const clip = (text: string): string => beginning(text, Limits.outcomeTextLength)

/** The note in a form that can be stored: its author is the agent. */
const clipped = (note: Note): Note => {
  switch (note._tag) {
    case "Answer":
      return { ...note, question: clip(note.question), answer: clip(note.answer) }
    case "Callback":
    case "Meeting":
      return note.timeText === undefined ? note : { ...note, timeText: clip(note.timeText) }
    case "OptOut":
    case "Transfer":
      return note
    default:
      return note satisfies never
  }
}

/** A note of the agent, or of the runner. An opt-out counts once. */
export const noted = (draft: Draft, note: Note): void => {
  if (note._tag === "OptOut") {
    if (draft.hasOptedOut) return
    draft.hasOptedOut = true
    draft.actions.push({ _tag: "OptOut" })
  }
  draft.actions.push({ _tag: "Log", entry: { _tag: "Noted", at: draft.now, note } })
}
