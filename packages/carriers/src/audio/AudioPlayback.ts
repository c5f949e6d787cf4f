/**
 * What a carrier is playing, as a pure step function: what it was given, what of it was played, and what it is given next. It is given
 * little more than what it is playing, so that little memory is used, and enough that a busy process is not heard. What was played
 * follows from the time, which marks correct.
 */
import { AudioFormat } from "@outdial/core"

/** What the carriers differ in. */
export interface PlaybackOptions {
  readonly format: AudioFormat.AudioFormat
  /** Without anything to play the carrier sends the contact nothing at all, so that it must be given silence. */
  readonly needsSilence: boolean
  /** How what was played is known when the rest is dropped: the carrier says how much is left, or it returns the marks that it drops. */
  readonly clearing: "reports_left" | "returns_marks"
}

export type Input =
  | { readonly _tag: "Play"; readonly audio: Uint8Array }
  | { readonly _tag: "Mark"; readonly mark: string }
  | { readonly _tag: "Clear" }
  /** The carrier has played all before this mark, or has dropped it. */
  | { readonly _tag: "Marked"; readonly number: number }
  /** How many frames the carrier had left. */
  | { readonly _tag: "Left"; readonly frames: number }
  /** The carrier takes nothing for now, or takes it again. */
  | { readonly _tag: "Held"; readonly isHeld: boolean }
  /** The carrier is gone: what was played, the time alone says. */
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Time" }

/** What the carrier is given, in order. */
export type Command =
  /** Whole frames, at most 400 ms of them. */
  | { readonly _tag: "Audio"; readonly audio: Uint8Array<ArrayBuffer> }
  | { readonly _tag: "Mark"; readonly number: number }
  | { readonly _tag: "AskLeft" }
  /** Drop everything that was not played. */
  | { readonly _tag: "Flush" }

/** Sound that the contact has heard, from that time on, in milliseconds. It is known within a second, or within 5 if the carrier is slow. */
export interface Heard {
  readonly at: number
  readonly audio: Uint8Array
}

export interface Step {
  readonly playback: Playback
  readonly send: ReadonlyArray<Command>
  /** The marks that were played. */
  readonly marked: ReadonlyArray<string>
  readonly heard: ReadonlyArray<Heard>
  /** Until when it is known what the contact has heard: all of it has been in `heard`. */
  readonly knownUntil: number
  /** The answer to `Clear`: how many milliseconds were played since the last one. */
  readonly cleared: number | undefined
  /** There is more to play than is good. */
  readonly isFull: boolean
  /** When to continue with `Time`. */
  readonly wakeAt: number
}

/** Numbers of frames count from the beginning of the line. */
export interface Playback extends PlaybackOptions {
  /** What the carrier has not been given: sound in whole frames, and marks. */
  readonly waiting: ReadonlyArray<Piece>
  /** The beginning of a frame. */
  readonly partial: Uint8Array<ArrayBuffer>
  /** What the carrier has and the contact has not heard. */
  readonly sent: ReadonlyArray<{ readonly from: number; readonly audio: Uint8Array }>
  /** How many frames the carrier was given. */
  readonly end: number
  /** At that time so many frames were played, and the rest follows at its pace. */
  readonly head: { readonly frames: number; readonly at: number }
  /** How many frames were dropped or played when the line was last cleared. */
  readonly clearedAt: number
  /** In the order in which they were given to the carrier. */
  readonly marks: ReadonlyArray<SentMark>
  readonly lastMark: number
  /** How long a message and its answer are on their way, in milliseconds: what was played is known so much later. None before the first mark. */
  readonly roundTrip: number | undefined
  /** Up to where a mark has confirmed that it was played. */
  readonly confirmed: number
  /** Until when the silence lasts that the carrier was given. */
  readonly silentUntil: number
  /** What was given is dropped, and the carrier has until then to say what was played. */
  readonly clearingUntil: number | undefined
  readonly isHeld: boolean
}

type Piece = { readonly audio: Uint8Array<ArrayBuffer> } | { readonly mark: string }

interface SentMark {
  readonly number: number
  /** It is answered when so many frames were played. */
  readonly frames: number
  /** None for one of our own. */
  readonly mark?: string
  /** It was given when everything was played, so that the time of its answer says nothing. */
  readonly isLate: boolean
  /** When it was given, if the carrier had nothing to play but the frame before it. */
  readonly firstAt?: number
}

const { frameMillis } = AudioFormat

/** How much the carrier has ahead, in milliseconds: a process that stands still for so long is not heard. */
const ahead = 2_000

/** The most in one message, in milliseconds: it has at most 12,800 bytes. */
const longestMessage = 400

/** How much a line takes before it is full, in milliseconds. */
export const mostWaiting = 3_000

/** How often the carrier is asked, by a mark, where it is: in frames. */
const markEvery = 25

/** How much silence the carrier gets at once, and how much of it is left when it gets more; in milliseconds. */
const [silenceLength, silenceLeft] = [1_000, 200]

/** The longest message of it. */
const silences = {
  mulaw: AudioFormat.silence("mulaw", longestMessage),
  alaw: AudioFormat.silence("alaw", longestMessage),
  pcm16: AudioFormat.silence("pcm16", longestMessage)
} as const

/** How long the carrier may take to say what was played when the rest was dropped, in milliseconds. The agent is silent meanwhile. */
const clearTimeout = 500

/** What a carrier on another continent needs for an answer, in milliseconds, before it is measured. */
const usualRoundTrip = 300

/** A carrier that takes longer for an answer stands still, in milliseconds. */
const longestRoundTrip = 1_000

/** How long after its time a mark that is not answered counts as played, in milliseconds. */
const markTimeout = 5_000

/** How much may be played after a mark that is not answered, in frames: half a second. Then the carrier stands still. */
const mostUnmarked = 25

export const make = (options: PlaybackOptions): Playback => ({
  ...options,
  waiting: [],
  partial: new Uint8Array(0),
  sent: [],
  end: 0,
  head: { frames: 0, at: 0 },
  clearedAt: 0,
  marks: [],
  lastMark: 0,
  roundTrip: undefined,
  confirmed: 0,
  silentUntil: 0,
  clearingUntil: undefined,
  isHeld: false
})

/** The playback after an input at `now`, in milliseconds. */
export const step = (before: Playback, input: Input, now: number): Step => {
  const draft: Draft = { ...before, now, send: [], marked: [], heard: [], cleared: undefined }
  apply(draft, input)
  settle(draft)
  const { cleared, heard, marked, now: _, send, ...playback } = draft
  return {
    playback,
    send,
    marked,
    heard,
    knownUntil: draft.confirmed < draft.end ? Math.min(now, timeOf(draft, draft.confirmed)) : now,
    cleared,
    isFull: remaining(draft) > mostWaiting,
    wakeAt: wakeAt(draft)
  }
}

type Draft = { -readonly [K in keyof Playback]: Playback[K] } & {
  readonly now: number
  readonly send: Array<Command>
  readonly marked: Array<string>
  readonly heard: Array<Heard>
  cleared: number | undefined
}

const apply = (draft: Draft, input: Input): void => {
  switch (input._tag) {
    case "Play":
      return play(draft, input.audio)
    case "Mark":
      fillUp(draft)
      draft.waiting = [...draft.waiting, { mark: input.mark }]
      return
    case "Clear":
      return clear(draft)
    case "Marked":
      return marked(draft, input.number)
    case "Left":
      if (draft.clearingUntil !== undefined) cleared(draft, draft.end - input.frames)
      return
    case "Held":
      draft.isHeld = input.isHeld
      return
    case "Gone":
      drop(draft)
      return cleared(draft, playedBy({ ...draft, now: Math.min(draft.now, flushedAt(draft)) }))
    case "Time":
      return
    default:
      return input satisfies never
  }
}

const play = (draft: Draft, audio: Uint8Array): void => {
  const frame = AudioFormat.frameBytes(draft.format)
  const bytes = new Uint8Array(draft.partial.length + audio.length)
  bytes.set(draft.partial)
  bytes.set(audio, draft.partial.length)
  const whole = bytes.length - bytes.length % frame
  draft.partial = bytes.subarray(whole)
  if (whole > 0) draft.waiting = [...draft.waiting, { audio: bytes.subarray(0, whole) }]
}

/** Completes the last frame with silence. */
const fillUp = (draft: Draft): void => {
  const missing = AudioFormat.frameBytes(draft.format) - draft.partial.length
  if (draft.partial.length === 0) return
  play(draft, AudioFormat.silence(draft.format, AudioFormat.millisOf(draft.format, missing)))
}

const drop = (draft: Draft): void => {
  draft.waiting = []
  draft.partial = new Uint8Array(0)
}

/** When the carrier has dropped what it had; never if it was not asked to. */
const flushedAt = ({ clearingUntil = Infinity }: Draft): number => clearingUntil - clearTimeout

const clear = (draft: Draft): void => {
  drop(draft)
  if (draft.clearingUntil !== undefined) return
  if (isDry(draft) && draft.marks.length === 0 && draft.confirmed === draft.end) {
    draft.cleared = (draft.end - draft.clearedAt) * frameMillis
    draft.clearedAt = draft.end
    return
  }
  draft.clearingUntil = draft.now + clearTimeout +
    (draft.roundTrip ?? (draft.clearing === "returns_marks" ? usualRoundTrip : 0))
  if (draft.clearing === "reports_left") draft.send.push({ _tag: "AskLeft" })
  // The last mark that comes back is the one of the end, so that a mark that was played just before does not count for it.
  else if ((draft.marks.at(-1)?.frames ?? 0) < draft.end) sendMark(draft)
  draft.send.push({ _tag: "Flush" })
}

/** The carrier has dropped what it had; so many frames were played. */
const cleared = (draft: Draft, played: number): void => {
  const frames = Math.max(draft.confirmed, Math.min(draft.end, played))
  hear(draft, frames)
  draft.cleared = (frames - draft.clearedAt) * frameMillis
  draft.clearedAt = draft.end
  draft.confirmed = draft.end
  draft.head = { frames: draft.end, at: draft.now }
  draft.sent = []
  draft.marks = []
  draft.silentUntil = 0
  draft.clearingUntil = undefined
}

const marked = (draft: Draft, number: number): void => {
  const index = draft.marks.findIndex((mark) => mark.number === number)
  const answered = draft.marks[index]
  if (answered === undefined) return
  if (answered.firstAt !== undefined) {
    draft.roundTrip = Math.min(longestRoundTrip, Math.max(0, draft.now - answered.firstAt - frameMillis))
  }
  if (draft.clearingUntil !== undefined && draft.clearing === "returns_marks") {
    // A mark that comes before its time was dropped, at this moment.
    if (answered.frames > playedBy(draft) + 1) return cleared(draft, playedBy(draft))
    if (index === draft.marks.length - 1) return cleared(draft, answered.frames)
  }
  reach(draft, index)
  // From here on the time counts.
  if (!answered.isLate) draft.head = { frames: answered.frames, at: draft.now }
}

/** The marks up to this one were played. */
const reach = (draft: Draft, index: number): void => {
  const reached = draft.marks.slice(0, index + 1)
  draft.marks = draft.marks.slice(index + 1)
  draft.confirmed = Math.max(draft.confirmed, reached.at(-1)?.frames ?? 0)
  // What is dropped is not reported.
  if (draft.clearingUntil !== undefined) return
  for (const { mark } of reached) if (mark !== undefined) draft.marked.push(mark)
}

/** What time has brought, and what the carrier gets now. */
const settle = (draft: Draft): void => {
  if (draft.clearingUntil !== undefined) {
    if (draft.now < draft.clearingUntil) return
    cleared(draft, playedBy({ ...draft, now: flushedAt(draft) }))
  }
  reach(draft, draft.marks.findLastIndex(({ frames }) => draft.now >= timeOf(draft, frames) + markTimeout))
  hear(draft, draft.confirmed)
  if (draft.isHeld) return
  while (inFlight(draft) <= ahead - longestMessage) {
    const [next, ...waiting] = draft.waiting
    if (next === undefined) break
    draft.waiting = waiting
    if ("mark" in next) {
      mark(draft, next.mark)
      continue
    }
    const most = (isRunningDry(draft) ? frameMillis : longestMessage) * AudioFormat.bytesPerMilli(draft.format)
    if (next.audio.length > most) draft.waiting = [{ audio: next.audio.subarray(most) }, ...waiting]
    sendAudio(draft, next.audio.subarray(0, most))
  }
  if (draft.waiting.length > 0 || draft.marks.length > 0 || !isDry(draft)) return
  if (draft.confirmed < draft.end) sendMark(draft)
  else if (draft.needsSilence) beSilent(draft)
}

const mark = (draft: Draft, name: string): void => {
  if (isDry(draft) && draft.marks.length === 0 && draft.confirmed === draft.end) draft.marked.push(name)
  else sendMark(draft, { mark: name })
}

const sendMark = (draft: Draft, more: Pick<SentMark, "firstAt" | "mark"> = {}): void => {
  draft.lastMark += 1
  draft.marks = [...draft.marks, { number: draft.lastMark, frames: draft.end, isLate: isDry(draft), ...more }]
  draft.send.push({ _tag: "Mark", number: draft.lastMark })
}

const sendAudio = (draft: Draft, audio: Uint8Array<ArrayBuffer>): void => {
  const isFirst = isRunningDry(draft)
  const isAlone = isFirst && draft.marks.length === 0 && draft.confirmed === draft.end
  if (isFirst) {
    // The silence in front of it is dropped, unless speech may still be playing.
    if (draft.silentUntil > draft.now && draft.marks.length === 0) {
      draft.send.push({ _tag: "Flush" })
      draft.silentUntil = 0
    }
    draft.head = { frames: draft.end, at: Math.max(draft.now + (draft.roundTrip ?? 0), draft.silentUntil) }
  }
  draft.sent = [...draft.sent, { from: draft.end, audio }]
  draft.send.push({ _tag: "Audio", audio })
  draft.end += audio.length / AudioFormat.frameBytes(draft.format)
  // The first mark tells how long messages are on their way.
  const unmarked = draft.end - Math.max(draft.confirmed, draft.marks.at(-1)?.frames ?? 0)
  if (isFirst || unmarked >= markEvery) sendMark(draft, isAlone ? { firstAt: draft.now } : {})
}

/** Gives the carrier silence. It has played everything. */
const beSilent = (draft: Draft): void => {
  if (draft.silentUntil > draft.now + silenceLeft) return
  const missing = draft.silentUntil > draft.now ? silenceLength : silenceLength + silenceLeft
  const audio = silences[draft.format]
  for (let left = missing; left > 0; left -= longestMessage) {
    draft.send.push({ _tag: "Audio", audio: audio.subarray(0, left * AudioFormat.bytesPerMilli(draft.format)) })
  }
  draft.silentUntil = Math.max(draft.now, draft.silentUntil) + missing
}

/** How many frames were played by now. */
const playedBy = (draft: Draft): number => Math.min(draft.end, timedBy(draft), mostBy(draft))

/** The same by the time alone. */
const timedBy = ({ head, now }: Draft): number => head.frames + Math.max(0, Math.floor((now - head.at) / frameMillis))

/** At most so many, because the carrier has not answered a mark. */
const mostBy = ({ marks: [first] }: Draft): number => first === undefined ? Infinity : first.frames + mostUnmarked

/** When so many frames are played. */
const timeOf = ({ head }: Playback, frames: number): number => head.at + (frames - head.frames) * frameMillis

const isDry = (draft: Draft): boolean => playedBy(draft) >= draft.end

/** Whether the carrier will have played everything when it gets what it is given now. */
const isRunningDry = (draft: Draft): boolean =>
  isDry(draft) || (timedBy(draft) <= mostBy(draft) && draft.now + (draft.roundTrip ?? 0) > timeOf(draft, draft.end))

/** How much of what the carrier has is still to be played, in milliseconds. */
const inFlight = (draft: Draft): number => (draft.end - playedBy(draft)) * frameMillis

const remaining = (draft: Draft): number =>
  draft.waiting.reduce(
    (sum, piece) => "mark" in piece ? sum : sum + AudioFormat.millisOf(draft.format, piece.audio.length),
    inFlight(draft)
  )

/** The contact has heard so many frames, now or before. */
const hear = (draft: Draft, frames: number): void => {
  const frame = AudioFormat.frameBytes(draft.format)
  while (true) {
    const [first, ...others] = draft.sent
    if (first === undefined || first.from >= frames) return
    const bytes = Math.min(first.audio.length, (frames - first.from) * frame)
    draft.heard.push({ at: timeOf(draft, first.from), audio: first.audio.subarray(0, bytes) })
    const rest = first.audio.subarray(bytes)
    draft.sent = rest.length === 0 ? others : [{ from: frames, audio: rest }, ...others]
  }
}

const wakeAt = (draft: Draft): number => {
  const { clearingUntil, confirmed, end, head, isHeld, marks: [mark], needsSilence, silentUntil, waiting } = draft
  if (clearingUntil !== undefined) return clearingUntil
  const endsAt = timeOf(draft, end)
  const overdueAt = mark === undefined ? Infinity : timeOf(draft, mark.frames) + markTimeout
  if (isHeld || timedBy(draft) > mostBy(draft)) return overdueAt
  if (waiting.length > 0) return Math.min(overdueAt, Math.max(head.at, endsAt - ahead + longestMessage))
  if (mark !== undefined) return overdueAt
  return confirmed < end ? endsAt : needsSilence ? Math.max(endsAt, silentUntil - silenceLeft) : Infinity
}
