/** How a conversation ends: with last words that the contact hears, or at once when the line is closed. */
import { transferNumber } from "../../domain/Agent.ts"
import type { EndReason } from "../../domain/Conversation.ts"
import * as Limits from "../../domain/Limits.ts"
import type { Draft, Words } from "./ConversationState.ts"
import { speak, stopSpeaking } from "./Speech.ts"
import { fillerAfter } from "./ToolCalls.ts"

export const interruptRequest = (draft: Draft): void => {
  const { request } = draft
  if (request === undefined) return
  draft.actions.push({ _tag: "Interrupt", request: request.id })
  draft.request = undefined
  if (request.said > 0 || request.pressed > 0 || request.toolCalls > 0) return
  draft.unanswered += Math.max(0, draft.now - request.at - fillerAfter)
}

/** Drops what is being said and produced. */
export const silence = (draft: Draft): void => {
  interruptRequest(draft)
  draft.interruption = undefined
  draft.waiting = undefined
  stopSpeaking(draft)
}

/** Ends the call when the contact has heard what is being said and these last words. */
export const end = (draft: Draft, reason: EndReason, ...lastWords: ReadonlyArray<string | undefined>): void => {
  if (draft.phase !== "talking") return
  interruptRequest(draft)
  draft.interruption = undefined
  draft.waiting = undefined
  draft.phase = "ending"
  draft.reason = reason
  for (const text of lastWords) if (text !== undefined && text !== "") speak(draft, uninterrupted(text))
  leaveWhenHeard(draft)
}

const uninterrupted = (text: string): Words => ({ text, interruptible: false })

/** Ends the call from outside the conversation. A goodbye that the agent is saying is enough. */
export const stop = (draft: Draft, reason: EndReason): void => {
  const isSayingGoodbye = draft.endsWhenHeard && draft.interruption === undefined && draft.speech.length > 0
  if (draft.phase !== "talking" || isSayingGoodbye) return end(draft, reason)
  silence(draft)
  const { fallback, goodbye } = draft.settings.phrases
  end(draft, reason, reason === "shutdown" && !draft.hasOptedOut ? fallback : goodbye)
}

/** The agent cannot go on. A contact who has opted out is not told that we will call back. */
export const fail = (draft: Draft, cause: string): void => {
  const { fallback, goodbye } = draft.settings.phrases
  draft.actions.push({
    _tag: "Log",
    entry: { _tag: "Failed", at: draft.now, cause: cause.slice(0, Limits.outcomeTextLength) }
  })
  if (draft.hasOptedOut) return end(draft, "opt_out", goodbye)
  end(draft, "agent_failed", fallback)
}

/**
 * How long the end waits for the final words of a contact who is in the middle of a sentence, which may be an opt-out: enough
 * for a short one. A line that never gives final words holds up the end as long.
 */
const finalWordsTimeout = 3_000

/** The contact's words are final, or none follow. */
export const hasSpoken = (draft: Draft): void => {
  draft.speaksSince = undefined
  draft.leavesAt = undefined
}

/** Whether the end waits for what the contact is saying. A machine says nothing that counts. */
const awaitsFinalWords = (draft: Draft): boolean => {
  if (draft.speaksSince === undefined || draft.reason === "voicemail" || draft.reason === "machine") return false
  draft.leavesAt ??= draft.now + finalWordsTimeout
  return true
}

/** Hangs up or transfers the call, if the agent has asked for it and nothing is left to be heard or said. */
export const leaveWhenHeard = (draft: Draft): void => {
  const { endsWhenHeard, phase, speech, transferTo } = draft
  const leaves = phase === "ending" ||
    phase === "talking" && (endsWhenHeard || transferTo !== undefined) && isIdle(draft)
  if (!leaves || speech.length > 0 || awaitsFinalWords(draft)) return
  if (draft.phase === "ending") return over(draft, draft.reason ?? "agent_ended")
  if (draft.endsWhenHeard) return over(draft, draft.hasOptedOut ? "opt_out" : "agent_ended")
  transfer(draft)
}

const transfer = (draft: Draft): void => {
  const { settings: { transferNumbers = [] }, transferTo } = draft
  const found = transferTo === undefined ? undefined : transferNumber(transferNumbers, transferTo)
  draft.transferTo = undefined
  if (found === undefined) return
  if (draft.hasOptedOut) return end(draft, "opt_out", draft.settings.phrases.goodbye)
  draft.transferring = found.name
  draft.actions.push({
    _tag: "Log",
    entry: { _tag: "Noted", at: draft.now, note: { _tag: "Transfer", to: found.name } }
  }, { _tag: "Transfer", number: found.number })
}

/** Whether neither side speaks, and the agent is not about to. */
export const isIdle = ({ interruption, request, speech, transferring, waiting }: Draft): boolean =>
  request === undefined && interruption === undefined && waiting === undefined && speech.length === 0 &&
  transferring === undefined

/** The line is closed, by either side, or has the contact no more. Words that are not known to be heard do not become turns. */
export const over = (draft: Draft, reason: EndReason): void => {
  silence(draft)
  draft.phase = "over"
  draft.reason = reason
  draft.speech = []
  draft.stopping = undefined
  draft.actions.push(
    { _tag: "Log", entry: { _tag: "Over", at: draft.now, reason } },
    { _tag: reason === "transferred" ? "Release" : "HangUp" }
  )
}
