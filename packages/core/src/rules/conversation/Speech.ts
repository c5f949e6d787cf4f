/**
 * The agent's speech in a conversation: what the line was given, what the contact heard of it, and what interrupts it. Only words that
 * were heard become turns.
 */
import * as Limits from "../../domain/Limits.ts"
import type { Draft, Utterance, Words } from "./ConversationState.ts"
import { mostSpeech } from "../voice/SpeechLength.ts"
import { beginning, fromCutSentence, heardLength } from "./SpokenText.ts"

/** How long the contact must be silent after an interruption before the agent repeats what it was saying (livekit's default is 2 s). */
const falseInterruption = 2_000

/** A line that hears noise interrupts without words. After so many in a row only words interrupt. */
const mostFalseInterruptions = 3

/** How long a line may take to stop speaking; after that nothing of the utterance counts as heard. */
const stopTimeout = 1_000

/** On a line that reports nothing, speech takes less than this: a slow voice, and the time that a line takes to begin. */
const longestSpeech = ({ text }: Words): number => 3_000 + 150 * text.length

/** How long a line that reports speech may take for it, besides the longest speech: it says before that its voice has failed. */
const reportTimeout = 30_000

/** Speaks after what is being said. */
export const speak = (draft: Draft, { interruptible, text }: Words): void => {
  const words = {
    text: beginning(text, Limits.outcomeTextLength),
    interruptible: interruptible && draft.settings.interruptible
  }
  draft.lastId += 1
  draft.speech = [...draft.speech, { id: draft.lastId, at: draft.now, ...words }]
  draft.actions.push({ _tag: "Speak", utterance: draft.lastId, ...words })
}

/** Speaks, or waits for the contact who seems to be speaking. */
export const say = (draft: Draft, words: Words): void => {
  const { interruption } = draft
  if (interruption === undefined) return speak(draft, words)
  draft.interruption = { ...interruption, rest: [...interruption.rest, words] }
}

/** Speech that the line was not asked to drop. */
const playing = ({ speech, stopping }: Draft): ReadonlyArray<Utterance> =>
  speech.filter(({ id }) => id > (stopping?.last ?? 0))

/** What is still to be heard, if the contact says nothing. */
export const remaining = (draft: Draft): ReadonlyArray<Words> => [...draft.speech, ...draft.interruption?.rest ?? []]

/** Whether something is being said, or about to be, that the contact cannot interrupt. */
export const isProtected = (draft: Draft): boolean =>
  remaining(draft).some(({ interruptible }) => !interruptible) ||
  (!draft.settings.interruptible && draft.request !== undefined && draft.request.said > 0)

export const stopSpeaking = (draft: Draft): void => {
  if (playing(draft).length === 0) return
  draft.stopping = { until: draft.now + stopTimeout, last: draft.lastId }
  draft.actions.push({ _tag: "StopSpeaking" })
}

/** The contact starts to speak. The agent stops, and goes on if no words follow. */
export const interrupt = (draft: Draft, hasHeardWords: boolean): void => {
  const { interruption, request } = draft
  if (isProtected(draft) || remaining(draft).length === 0 && request === undefined && interruption === undefined) return
  if (!hasHeardWords && (interruption !== undefined || draft.falseInterruptions >= mostFalseInterruptions)) return
  draft.interruption = { until: draft.now + falseInterruption, rest: interruption?.rest ?? [] }
  stopSpeaking(draft)
}

/** The contact said nothing after an interruption, or only showed attention: the agent goes on. */
export const goOn = (draft: Draft): void => {
  const rest = draft.interruption?.rest ?? []
  draft.interruption = undefined
  draft.falseInterruptions += 1
  for (const words of rest) speak(draft, words)
}

/** The contact has heard an utterance, and those before it. */
export const played = (draft: Draft, id: number): void => {
  const index = draft.speech.findIndex((utterance) => utterance.id === id)
  if (index < 0) return
  for (const utterance of draft.speech.slice(0, index + 1)) heardOf(draft, utterance, utterance.text.length)
  left(draft, draft.speech.slice(index + 1))
}

/** The line has fallen silent within an utterance. It has dropped those after it, up to the last that was to be dropped. */
export const stopped = (draft: Draft, id: number, heard: string): void => {
  const { interruption, speech, stopping } = draft
  const index = speech.findIndex((utterance) => utterance.id === id)
  const cut = speech[index]
  if (cut === undefined) return
  const wasAsked = stopping !== undefined && id <= stopping.last
  const last = wasAsked ? stopping.last : draft.lastId
  const dropped = speech.slice(index + 1).filter((utterance) => utterance.id <= last)
  const length = heardLength(cut.text, heard)
  for (const utterance of speech.slice(0, index)) {
    // What the line was to drop before this utterance was not heard to its end.
    if (wasAsked || utterance.id > (stopping?.last ?? 0)) heardOf(draft, utterance, utterance.text.length)
  }
  heardOf(draft, cut, length)
  left(draft, speech.filter((utterance) => utterance.id > last))
  draft.stopping = undefined
  // Words that the contact answers are not repeated, unless they are such that they must be heard.
  if (draft.phase !== "talking" || (wasAsked && interruption === undefined)) return
  const rest = [{ ...cut, text: length === cut.text.length ? "" : fromCutSentence(cut.text, length) }, ...dropped]
    .filter(({ text }) => text !== "")
    .map(({ interruptible, text }) => ({ text, interruptible }))
  draft.interruption = {
    until: interruption?.until ?? draft.now + falseInterruption,
    rest: [...rest, ...interruption?.rest ?? []]
  }
}

/** When the speech is over at the latest. */
export const overdueAt = (
  { settings: { reportsSpeech = false }, speech: [first], stopping }: Pick<Draft, "settings" | "speech" | "stopping">
): number => {
  if (first === undefined || stopping !== undefined) return Infinity
  return first.at + (reportsSpeech ? mostSpeech(first.text) + reportTimeout : longestSpeech(first))
}

/** The speech that is left; the next utterance begins now. */
const left = (draft: Draft, [first, ...others]: ReadonlyArray<Utterance>): void => {
  draft.speech = first === undefined ? [] : [{ ...first, at: Math.max(first.at, draft.now) }, ...others]
  draft.quietSince = draft.now
  if (draft.stopping !== undefined && (first === undefined || first.id > draft.stopping.last)) {
    draft.stopping = undefined
  }
}

const heardOf = (draft: Draft, utterance: Utterance, length: number): void => {
  const text = utterance.text.slice(0, length)
  if (text === "") return
  const interrupted = length < utterance.text.length
  draft.actions.push(
    {
      _tag: "Log",
      entry: {
        _tag: "Turn",
        speaker: "agent",
        text,
        at: utterance.at,
        endedAt: draft.now,
        ...(interrupted && { interrupted })
      }
    },
    { _tag: "AgentHeard", text, interrupted }
  )
}
