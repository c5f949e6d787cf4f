/** What the contact says or presses: it is answered, it interrupts the agent, or it only shows attention. */
import { turns } from "../../domain/Outcome.ts"
import { answerWaiting, noted, wait } from "./AgentAnswer.ts"
import { end, hasSpoken, leaveWhenHeard, silence } from "./ConversationEnd.ts"
import { type Draft, ignore } from "./ConversationState.ts"
import { contains, isBackchannel, isGoodbye } from "./ContactWords.ts"
import { isOptOut } from "./OptOut.ts"
import { interrupt, isProtected, remaining } from "./Speech.ts"
import { countedLength, hasWords, isQuestion } from "./SpokenText.ts"

/** Longest turn of a contact, in characters: about ten minutes of speech. What a line reports beyond it is dropped. */
const longestTurn = 12_000

/**
 * Most characters of the contact's turns: 4 hours of speech at 15 characters a second. A line that reports more is broken, and would fill
 * the storage. What it reports beyond is dropped.
 */
const mostHeard = 216_000

const wordless = "The line reports words without a letter"

/** The contact starts to speak, or goes on; the final words follow. */
export const speaking = (draft: Draft, text: string | undefined): void => {
  if (text !== undefined && !hasWords(text)) return ignore(draft, wordless)
  if (text === undefined) draft.soundAt = draft.now
  else {
    draft.quietSince = draft.now
    draft.speaksSince ??= draft.now
  }
  if (draft.phase === "ending" || (text !== undefined && isBackchannel(text, draft.settings.phrases.words))) return
  interrupt(draft, text !== undefined)
}

/** Final words of the contact. */
export const heard = (draft: Draft, text: string): void => {
  const said = text.trim().slice(0, longestTurn)
  if (!hasWords(said)) {
    ignore(draft, wordless)
    hasSpoken(draft)
    return leaveWhenHeard(draft)
  }
  turn(draft, said)
  // Whatever the agent makes of it: an agent may miss it, or be talked out of it.
  if (isOptOut(said, draft.settings.phrases.words)) noted(draft, { _tag: "OptOut" })
  if (draft.phase === "ending") return leaveWhenHeard(draft)
  if (contains(said, draft.settings.endPhrases ?? [])) return sayGoodbye(draft)
  if (onlyAttends(draft, said)) return
  wait(draft, { _tag: "Words", text: said })
  // A short answer to the last question that comes before its end leaves the agent its last words.
  if (
    isBackchannel(said, draft.settings.phrases.words) && draft.speech.length > 0 && draft.interruption === undefined
  ) return
  answerWaiting(draft)
}

/** The contact has said a phrase that ends the call. The agent is not asked. */
const sayGoodbye = (draft: Draft): void => {
  const { goodbye, optedOut } = draft.settings.phrases
  if (!isProtected(draft)) silence(draft)
  return draft.hasOptedOut ? end(draft, "opt_out", optedOut) : end(draft, "agent_ended", goodbye)
}

export const pressed = (draft: Draft, digits: string): void => {
  const pressedDigits = digits.replaceAll(/[^0-9A-D*#]/gu, "").slice(0, 64)
  if (pressedDigits === "") return ignore(draft, "The line reports keys that no telephone has")
  turn(draft, pressedDigits)
  if (draft.phase === "ending") return leaveWhenHeard(draft)
  wait(draft, { _tag: "Digits", digits: pressedDigits })
  answerWaiting(draft)
}

const turn = (draft: Draft, said: string): void => {
  const at = draft.speaksSince ?? draft.now
  hasSpoken(draft)
  draft.contactCharacters += countedLength(said)
  if (draft.contactCharacters > mostHeard) {
    if (draft.phase === "talking") {
      draft.actions.push({ _tag: "Warn", problem: "The line reports more words than a person can say" })
    }
    return end(draft, "line_failed", draft.settings.phrases.goodbye)
  }
  for (const { speaker, text } of turns([{ speaker: "contact", text: said }])) {
    draft.actions.push({ _tag: "Log", entry: { _tag: "Turn", speaker, text, at, endedAt: draft.now } })
  }
  draft.quietSince = draft.now
  draft.hasPrompted = false
  draft.falseInterruptions = 0
}

/** Whether the words take no turn: attention while the agent speaks, or a goodbye to its goodbye. The agent goes on. */
const onlyAttends = (draft: Draft, said: string): boolean => {
  const { interruption, settings: { phrases } } = draft
  const leaves = draft.endsWhenHeard || draft.transferTo !== undefined
  const left = remaining(draft)
  // Who has opted out must not be transferred, and the end has another reason.
  if (leaves && !draft.hasOptedOut && (isBackchannel(said, phrases.words) || isGoodbye(said, phrases.words))) {
    // A disclosure that the line has stopped is said to its end.
    const rest = interruption?.rest.filter(({ interruptible }) => !interruptible) ?? []
    draft.interruption = rest.length === 0 ? undefined : { until: draft.now, rest }
    leaveWhenHeard(draft)
    return true
  }
  if (left.length === 0 && interruption === undefined || !isBackchannel(said, phrases.words)) return false
  if (draft.waiting !== undefined) return false
  if (draft.request === undefined && left.length === 1 && left.some(({ text }) => isQuestion(text))) return false
  if (interruption !== undefined) draft.interruption = { ...interruption, until: draft.now }
  return true
}
