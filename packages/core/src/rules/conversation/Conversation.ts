/**
 * One conversation as a pure step function: an input and the time give the next state, the actions to execute, and when to continue
 * without an input. The limits, the disclosure and the end are enforced here, whatever the agent produces.
 */
import type { LineEvent, MachineKind } from "../../domain/Conversation.ts"
import { answerWaiting, ask, done, notTransferred, part, transferred } from "./AgentAnswer.ts"
import { heard, pressed, speaking } from "./ContactTurn.ts"
import { end, fail, hasSpoken, isIdle, leaveWhenHeard, over, silence, stop } from "./ConversationEnd.ts"
import { type Action, type Draft, ignore, type Input, type State } from "./ConversationState.ts"
import { goOn, isProtected, overdueAt, played, speak, stopped, stopSpeaking } from "./Speech.ts"
import * as ToolCalls from "./ToolCalls.ts"

export { type Action, type Input, resume, type Settings, start, type State } from "./ConversationState.ts"

export interface Step {
  readonly state: State
  readonly actions: ReadonlyArray<Action>
  /** When to continue with `Time`, if no other input comes before. */
  readonly wakeAt: number
}

/**
 * How long an agent may take for the first words of an answer, and for the next ones. Notes are not heard, so they do not count. A contact
 * who speaks again after a filler has waited, too: otherwise one who answers every filler would hear nothing else.
 */
export const answerTimeout = 15_000

/** How long a sound may postpone the prompt. The first words of a contact who starts to speak come sooner; noise has none. */
const soundTimeout = 2_000

/** How long after the longest duration the last words may end. */
export const longestEnd = 60_000

/** The conversation after an input at `now`. Time never goes backwards within a conversation. */
export const step = (before: State, input: Input, now: number): Step => {
  const draft: Draft = { ...before, now: Math.max(before.now, now), actions: [] }
  apply(draft, input)
  while (wakeAt(draft) <= draft.now) due(draft)
  const { actions, ...state } = draft
  return { state, actions, wakeAt: wakeAt(draft) }
}

const apply = (draft: Draft, input: Input): void => {
  if (draft.phase === "over") {
    // Another process ended the conversation, and may not have closed the line.
    if (input._tag === "Answered") draft.actions.push({ _tag: "HangUp" })
    return
  }
  switch (input._tag) {
    case "Answered":
      return answered(draft, input.machine)
    case "Line":
      return lineEvent(draft, input.event)
    case "Part":
      return draft.request?.id === input.request ? part(draft, draft.request, input.part) : undefined
    case "Done":
      return draft.request?.id === input.request ? done(draft) : undefined
    case "Failed":
      if (draft.request?.id !== input.request) return
      draft.request = undefined
      return fail(draft, input.cause)
    case "ToolAsked":
      return ToolCalls.asked(draft, input)
    case "ToolAnswered":
      return ToolCalls.answered(draft, input.id, input.answer)
    case "Transferred":
      return transferred(draft, input.isTransferred)
    case "Stop":
      return stop(draft, input.reason)
    case "Time":
      return
    default:
      return input satisfies never
  }
}

const answered = (draft: Draft, kind: MachineKind | undefined): void => {
  if (kind !== undefined) {
    noted(draft, kind)
    if (kind === "ivr" && draft.opening._tag === "Opening") draft.opening = { _tag: "Machine", kind }
  }
  const { opening, settings: { disclosure = "", phrases } } = draft
  ToolCalls.giveUpUnanswered(draft)
  if (draft.hasOptedOut) return end(draft, "opt_out", phrases.goodbye)
  if (draft.machines.includes("voicemail")) return leaveMessage(draft)
  if (draft.machines.includes("fax")) return end(draft, "machine")
  if (!draft.isDisclosed && disclosure !== "") speak(draft, { text: disclosure, interruptible: false })
  draft.isDisclosed = true
  if (opening._tag === "NotTransferred") return notTransferred(draft, opening.to)
  ask(draft, opening)
}

const lineEvent = (draft: Draft, event: LineEvent): void => {
  switch (event._tag) {
    case "Heard":
      return event.isFinal ? heard(draft, event.text) : speaking(draft, event.text)
    case "SpeechStarted":
      return speaking(draft, undefined)
    case "Digits":
      return pressed(draft, event.digits)
    case "Played":
      if (isUnknown(draft, event.utterance)) return
      played(draft, event.utterance)
      return settle(draft)
    case "Stopped":
      if (isUnknown(draft, event.utterance)) return
      stopped(draft, event.utterance, event.heard)
      return settle(draft)
    case "Machine":
      return machine(draft, event.kind)
    case "Failed":
      return draft.phase === "talking" ? fail(draft, event.cause) : undefined
    case "Closed":
      return over(
        draft,
        draft.reason ?? (draft.hasOptedOut ? "opt_out" : draft.endsWhenHeard ? "agent_ended" : "contact_hung_up")
      )
    default:
      return event satisfies never
  }
}

/** Whether the line was never given such an utterance. */
const isUnknown = (draft: Draft, utterance: number): boolean => {
  const is = utterance < 1 || utterance > draft.lastId
  if (is) ignore(draft, "The line reports speech that it was not given")
  return is
}

/** The line does not do what it promises. It is asked what was heard; without an answer it is nothing. */
const unreported = (draft: Draft): void => {
  const cause = "The line did not report its speech in time"
  draft.actions.push({ _tag: "Warn", problem: cause })
  stopSpeaking(draft)
  if (draft.phase === "talking") fail(draft, cause)
}

/** What waited for speech to be heard. */
const settle = (draft: Draft): void => {
  answerWaiting(draft)
  leaveWhenHeard(draft)
}

/** Puts the verdict on record, once; returns whether it is new. A line may repeat it, and the carrier may say the same. */
const noted = (draft: Draft, kind: MachineKind): boolean => {
  if (draft.machines.includes(kind)) return false
  draft.machines = [...draft.machines, kind]
  draft.actions.push({ _tag: "Log", entry: { _tag: "Machine", at: draft.now, kind } })
  return true
}

/** The status of the call depends on the verdict, so it counts to the end. */
const machine = (draft: Draft, kind: MachineKind): void => {
  if (!noted(draft, kind)) return
  if (draft.phase === "ending") return
  if (kind === "ivr") {
    // A disclosure is said to its end.
    if (!isProtected(draft)) silence(draft)
    return ask(draft, { _tag: "Machine", kind })
  }
  silence(draft)
  if (kind === "fax") return end(draft, "machine")
  leaveMessage(draft)
}

const leaveMessage = (draft: Draft): void => {
  const { disclosure, voicemailMessage } = draft.settings
  if (voicemailMessage === undefined) return end(draft, "voicemail")
  end(draft, "voicemail", disclosure, voicemailMessage)
}

/** When each thing happens that happens because time passes. */
const timers = (draft: Draft) => {
  const { interruption, quietSince, request, settings, stopping, unanswered } = draft
  const talking = draft.phase === "talking"
  const isTool = ToolCalls.isAwaited(draft)
  const silentAt = quietSince + settings.silence
  return {
    cutOff: settings.maxDuration + longestEnd,
    stopTimeout: stopping?.until ?? Infinity,
    leave: draft.leavesAt ?? Infinity,
    maxDuration: talking ? settings.maxDuration : Infinity,
    goOn: interruption === undefined || stopping !== undefined ? Infinity : interruption.until,
    overdue: overdueAt(draft),
    tool: ToolCalls.overdueAt(draft),
    answerTimeout: request === undefined || isTool ? Infinity : request.at + answerTimeout - unanswered,
    filler: request === undefined || isFillerHeld(draft) || draft.speech.length > 0
      ? Infinity
      : ToolCalls.filler(draft).at,
    silence: talking && isIdle(draft)
      ? Math.max(silentAt, Math.min(draft.soundAt, silentAt) + soundTimeout)
      : Infinity
  }
}

/** Whether a filler would speak into the contact's words, or before words that are to be repeated. Noise postpones it once. */
const isFillerHeld = ({ falseInterruptions, interruption, speaksSince }: Draft): boolean =>
  interruption !== undefined &&
  (speaksSince !== undefined || falseInterruptions === 0 || interruption.rest.length > 0)

const wakeAt = (draft: Draft): number => draft.phase === "over" ? Infinity : Math.min(...Object.values(timers(draft)))

/** One thing that is due. */
const due = (draft: Draft): void => {
  const { now, settings: { phrases }, speech: [first] } = draft
  const at = timers(draft)
  if (now >= at.cutOff) return over(draft, draft.reason ?? "max_duration")
  if (now >= at.stopTimeout) {
    if (first !== undefined) stopped(draft, first.id, "")
    return settle(draft)
  }
  if (now >= at.leave) {
    hasSpoken(draft)
    return leaveWhenHeard(draft)
  }
  if (now >= at.maxDuration) return stop(draft, "max_duration")
  if (now >= at.goOn) {
    goOn(draft)
    return settle(draft)
  }
  if (now >= at.overdue) {
    if (draft.settings.reportsSpeech === true) return unreported(draft)
    if (first !== undefined) played(draft, first.id)
    return settle(draft)
  }
  if (now >= at.tool) return ToolCalls.giveUpOverdue(draft)
  if (now >= at.answerTimeout) {
    const cause = "The agent did not answer in time"
    draft.actions.push({ _tag: "Warn", problem: cause })
    return fail(draft, cause)
  }
  if (now >= at.filler) {
    const { text = phrases.filler } = ToolCalls.filler(draft)
    draft.hasFilled = true
    return speak(draft, { text, interruptible: true })
  }
  if (draft.hasPrompted) return end(draft, "contact_silent", phrases.goodbye)
  draft.hasPrompted = true
  draft.quietSince = now
  speak(draft, { text: phrases.prompt, interruptible: true })
}
