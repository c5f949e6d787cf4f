/** What the carrier knows: the truth about which phones rang, read from its journal. */

/** A phone that rings, and how the call will go unless it is hung up. */
export interface Rang {
  readonly _tag: "Rang"
  readonly at: number
  readonly callId: string
  readonly accountId: string
  readonly phoneNumber: string
  readonly node: string
  readonly answeredAt?: number
  readonly answeredBy?: "human" | "voicemail"
  readonly endsAt: number
  readonly result: "hung_up" | "no_answer" | "busy"
  /** How it will be reported. */
  readonly manner: Manner
}

export interface Manner {
  readonly tellsAnswer: boolean
  readonly tellsEnd: boolean
  readonly twice: boolean
  readonly endFirst: boolean
  /** In milliseconds of the timeline. */
  readonly delay: number
}

export interface HungUp {
  readonly _tag: "HungUp"
  readonly at: number
  readonly callId: string
}

/** Everything about the call has been reported. */
export interface Reported {
  readonly _tag: "Reported"
  readonly callId: string
}

/** A dial that did not ring, and why. */
export interface Refused {
  readonly _tag: "Refused"
  readonly at: number
  readonly callId: string
  readonly why: "refused" | "unavailable" | "lost" | "too_late"
}

export type Entry = Rang | HungUp | Reported | Refused

/** A call as it went on the line; `endedAt` may lie ahead. */
export interface LineCall extends Rang {
  readonly endedAt: number
  readonly isHungUp: boolean
}

/** Every ring with its end, oldest first. */
export const calls = (entries: ReadonlyArray<Entry>): ReadonlyArray<LineCall> => {
  const hungUp = new Map(entries.flatMap((entry) => entry._tag === "HungUp" ? [[entry.callId, entry.at]] : []))
  return entries.flatMap((entry) => {
    if (entry._tag !== "Rang") return []
    const endedAt = Math.min(entry.endsAt, hungUp.get(entry.callId) ?? Infinity)
    return [{ ...entry, endedAt, isHungUp: endedAt < entry.endsAt }]
  })
}

/** A dial as it travels to the carrier. */
export interface Dial {
  readonly callId: string
  readonly accountId: string
  readonly phoneNumber: string
  readonly callerId?: string
  readonly node: string
  /** The carrier rejects a dial that has become too old on its way. */
  readonly sentAt: number
}

/** How old a dial may become before it rings, in milliseconds of the timeline. */
export const oldest = 5000

/** The carrier's report of the end. */
export const ended = ({ endedAt, answeredAt, answeredBy, isHungUp, result }: LineCall) => {
  const wasAnswered = answeredAt !== undefined && answeredAt <= endedAt
  return {
    _tag: "Ended",
    at: endedAt,
    result: isHungUp ? "hung_up" : result,
    ...(wasAnswered && { answeredAt, answeredBy }),
    transcript: wasAnswered && answeredBy === "human"
      ? [{ speaker: "agent", text: "Hello" }, { speaker: "contact", text: "Yes, this is a good time." }]
      : []
  }
}
