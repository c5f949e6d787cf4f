/**
 * What a relay is saying, as a pure step function: which words it was given, which of them the contact has heard, and which it is given
 * next. A relay cannot be told to stop, so it is given little more than what it is saying; the rest can be dropped.
 */
import { type Conversation, SpokenText } from "@outdial/core"
import type { RelayDialect } from "./RelayFrames.ts"

export interface Utterance {
  readonly id: number
  readonly text: string
  readonly interruptible: boolean
}

/** Words that the relay has. */
interface Sent extends Utterance {
  /** How many characters are known to be played. */
  readonly played: number
  /** When that was known; when it begins, if nothing is. */
  readonly since: number
  /** The line was told to stop, and has answered: its words count for nothing any more. */
  readonly isDropped: boolean
}

export interface Playback {
  readonly dialect: RelayDialect
  readonly sent: ReadonlyArray<Sent>
  readonly waiting: ReadonlyArray<Utterance>
  /** Until when the relay may say by itself where it stopped. */
  readonly stoppingUntil: number | undefined
}

export type Input =
  | { readonly _tag: "Speak"; readonly utterance: Utterance }
  | { readonly _tag: "Stop" }
  | { readonly _tag: "Played"; readonly text: string }
  | { readonly _tag: "Interrupted"; readonly heard: string; readonly millis?: number | undefined }
  | { readonly _tag: "Time" }

export interface Step {
  readonly playback: Playback
  /** To give to the relay, in order. */
  readonly send: ReadonlyArray<Utterance>
  readonly events: ReadonlyArray<Conversation.LineEvent>
  /** When to continue with `Time`. */
  readonly wakeAt: number
}

/** From a text to its first sound, in milliseconds. */
const startDelay = 330

/** How much of its speech is left, in milliseconds, when the relay gets the next words: it needs them to go on without a pause. */
const ahead = 1_000

/** How long the relay may take to say where it stopped, after the contact has interrupted it. */
const stopTimeout = 400

/** How long after its estimated end an utterance counts as heard: little where only the estimate tells, more where the relay reports it. */
const grace = ({ reportsPlayed }: RelayDialect) => reportsPlayed ? 2_500 : 400

export const make = (dialect: RelayDialect): Playback => ({ dialect, sent: [], waiting: [], stoppingUntil: undefined })

/** Whether words are being said, or are about to be. */
export const isSpeaking = ({ sent, waiting }: Playback): boolean => sent.length > 0 || waiting.length > 0

/** The playback after an input at `now`, in milliseconds. */
export const step = (before: Playback, input: Input, now: number): Step => {
  const draft: Draft = { ...before, now, events: [], send: [] }
  apply(draft, input)
  settle(draft)
  const { events, now: _, send, ...playback } = draft
  return { playback, events, send, wakeAt: wakeAt(playback) }
}

type Draft = { -readonly [K in keyof Playback]: Playback[K] } & {
  readonly now: number
  readonly events: Array<Conversation.LineEvent>
  readonly send: Array<Utterance>
}

const apply = (draft: Draft, input: Input): void => {
  switch (input._tag) {
    case "Speak":
      draft.waiting = [...draft.waiting, input.utterance]
      return
    case "Stop":
      draft.waiting = []
      if (draft.sent.some(({ isDropped }) => !isDropped)) draft.stoppingUntil ??= draft.now + stopTimeout
      return
    case "Played":
      return played(draft, input.text)
    case "Interrupted":
      return interrupted(draft, input)
    case "Time":
      return
    default:
      return input satisfies never
  }
}

/** What time has brought, and what the relay gets now. */
const settle = (draft: Draft): void => {
  if (draft.stoppingUntil !== undefined && draft.now >= draft.stoppingUntil) stop(draft)
  for (let first = draft.sent[0]; first !== undefined && isOverdue(draft, first); first = draft.sent[0]) complete(draft)
  // While it is stopping, the relay may drop what it gets.
  while (draft.stoppingUntil === undefined && remaining(draft) <= ahead) {
    const [next, ...waiting] = draft.waiting
    if (next === undefined) return
    draft.waiting = waiting
    draft.sent = [...draft.sent, { ...next, played: 0, since: draft.now + startDelay, isDropped: false }]
    draft.send.push(next)
  }
}

/** The relay has played these words. Where it changes numbers into words, only their length counts. */
const played = (draft: Draft, text: string): void => {
  if (!SpokenText.hasWords(text)) return
  const left = draft.sent.map((one) => one.text.slice(one.played)).join(" ")
  let length = SpokenText.heardLength(left, text) || Math.min(text.trim().length, left.length)
  for (let first = draft.sent[0]; first !== undefined && length > 0; first = draft.sent[0]) {
    const rest = first.text.length - first.played
    const advanced = { ...first, played: first.played + Math.min(rest, length), since: draft.now }
    draft.sent = [advanced, ...draft.sent.slice(1)]
    length -= rest + 1
    if (SpokenText.hasWords(first.text.slice(advanced.played))) return
    complete(draft)
  }
}

/** The contact has heard the first utterance to its end. */
const complete = (draft: Draft): void => {
  const [first, next, ...others] = draft.sent
  if (first === undefined) return
  if (!first.isDropped) draft.events.push({ _tag: "Played", utterance: first.id })
  draft.sent = next === undefined ? [] : [{ ...next, since: draft.now }, ...others]
  if (draft.sent.every(({ isDropped }) => isDropped)) draft.stoppingUntil = undefined
}

/** Where in the relay's words the contact stopped hearing them. */
interface Cut {
  readonly index: number
  readonly length: number
}

/** The relay has dropped all that it had, and said where. */
const interrupted = (draft: Draft, { heard, millis }: Extract<Input, { readonly _tag: "Interrupted" }>): void => {
  report(draft, cutAt(draft.sent, heard) ?? estimated(draft, millis))
  if (draft.stoppingUntil === undefined) draft.waiting = []
  draft.stoppingUntil = undefined
  draft.sent = []
}

/** The relay goes on with what it has, which counts for nothing. */
const stop = (draft: Draft): void => {
  report(draft, estimated(draft, undefined))
  draft.stoppingUntil = undefined
  draft.sent = draft.sent.map((one) => ({ ...one, isDropped: true }))
}

/** Reports the first utterance that was not heard to its end; those before it were. */
const report = (draft: Draft, { index, length }: Cut): void => {
  const cut = draft.sent[index]
  const isWhole = cut !== undefined && !SpokenText.hasWords(cut.text.slice(length))
  const following = [...draft.sent.slice(index + 1), ...draft.stoppingUntil === undefined ? draft.waiting : []]
    .find((one) => !("isDropped" in one && one.isDropped))
  if (cut !== undefined && !cut.isDropped && !isWhole) {
    draft.events.push({ _tag: "Stopped", utterance: cut.id, heard: cut.text.slice(0, length) })
  } else if (following !== undefined) {
    draft.events.push({ _tag: "Stopped", utterance: following.id, heard: "" })
  } else if (cut !== undefined && !cut.isDropped) {
    draft.events.push({ _tag: "Played", utterance: cut.id })
  }
}

/** Where the words end that the relay reports as heard. They begin with one of its utterances, and may run over several. */
const cutAt = (sent: ReadonlyArray<Sent>, heard: string): Cut | undefined => {
  for (const [from, first] of sent.entries()) {
    const length = SpokenText.heardLength(sent.slice(from).map(({ text }) => text).join(" "), heard)
    if (length === 0 || (from === 0 && length < first.played)) continue
    return positionFrom(sent, from, length)
  }
  return undefined
}

/** Where the contact is by the words that were played, or by the time since then. */
const estimated = ({ dialect, now, sent }: Draft, millis: number | undefined): Cut => {
  const first = sent[0]
  if (first === undefined) return { index: 0, length: 0 }
  if (dialect.reportsPlayed && first.played > 0) return { index: 0, length: first.played }
  const characters = Math.floor((millis ?? Math.max(0, now - first.since)) / dialect.speaking)
  const { index, length } = positionFrom(sent, 0, first.played + characters)
  const text = sent[index]?.text ?? ""
  // Whole words only.
  return {
    index,
    length: length >= text.length ? text.length : Math.max(0, text.slice(0, length + 1).lastIndexOf(" "))
  }
}

const positionFrom = (sent: ReadonlyArray<Sent>, from: number, length: number): Cut => {
  let left = length
  for (const [index, { text }] of sent.entries()) {
    if (index < from) continue
    if (left <= text.length || index === sent.length - 1) return { index, length: Math.min(left, text.length) }
    left -= text.length + 1
  }
  return { index: 0, length: 0 }
}

/** How long the relay will go on speaking, by its last report. */
const remaining = ({ dialect, now, sent }: Draft): number =>
  sent[0] === undefined ? 0 : Math.max(0, endOf(sent[0], dialect) - now) + afterFirst(sent, dialect)

/** How long it takes to say what follows the first utterance. */
const afterFirst = (sent: ReadonlyArray<Sent>, { speaking }: RelayDialect): number =>
  sent.slice(1).reduce((sum, { text }) => sum + text.length * speaking, 0)

const endOf = ({ played, since, text }: Sent, { speaking }: RelayDialect): number =>
  since + (text.length - played) * speaking

const isOverdue = ({ dialect, now }: Draft, first: Sent): boolean => now >= endOf(first, dialect) + grace(dialect)

const wakeAt = ({ dialect, sent, stoppingUntil, waiting }: Playback): number => {
  const [first] = sent
  if (first === undefined) return Infinity
  const following = afterFirst(sent, dialect)
  const isNextDue = waiting.length > 0 && stoppingUntil === undefined && following <= ahead
  return Math.min(
    endOf(first, dialect) + grace(dialect),
    stoppingUntil ?? Infinity,
    isNextDue ? endOf(first, dialect) + following - ahead : Infinity
  )
}
