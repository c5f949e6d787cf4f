/**
 * The behaviour of a simulated callee, chosen by the last digits of its number, and the timeline of one call to it. The
 * timeline depends only on the call's id and the instant of the dial, so that a restarted simulator continues it.
 */
import { DateTime, Duration, Effect, Random, Schema } from "effect"
import * as Limits from "../domain/Limits.ts"
import type { CarrierEvent, Ended } from "../domain/CarrierEvent.ts"
import type { TranscriptTurn } from "../domain/Outcome.ts"
import { sampleTranscript } from "../outcome/OutcomeSource.ts"
import type { DialRequest } from "../telephony/Telephony.ts"

export const Callee = Schema.Literals([
  "talks",
  "busy",
  "never_answers",
  "voicemail",
  "hangs_up",
  /** The carrier refuses the call. */
  "refused",
  /** The carrier is unavailable twice, then the callee talks. */
  "unavailable_twice",
  /** The carrier's answer is lost, but the phone rings. */
  "unknown_rings",
  /** The carrier's answer is lost, and nothing rang. */
  "unknown_lost",
  /** In the middle of the conversation the carrier loses the call. */
  "falls_silent",
  /** Every report twice, and the end before the answer. */
  "reports_disordered",
  /** The end is never reported. */
  "last_report_lost",
  /** A machine answers, which the carrier finds out a few seconds later. */
  "voicemail_late",
  /** The carrier has the recording a few seconds after the end. */
  "recorded_late",
  "answers_late"
])
export type Callee = typeof Callee.Type

/** The callee of a number: by its last digit, and by the last two for callees with carrier problems. */
export const calleeOf = (phoneNumber: string): Callee =>
  byLastTwo[phoneNumber.slice(-2)] ?? byLast[phoneNumber.slice(-1)] ?? "talks"

const byLast: Readonly<Record<string, Callee>> = {
  5: "busy",
  6: "never_answers",
  7: "voicemail",
  8: "hangs_up",
  9: "answers_late"
}

const byLastTwo: Readonly<Record<string, Callee>> = {
  "09": "refused",
  19: "unavailable_twice",
  29: "unknown_rings",
  39: "unknown_lost",
  49: "falls_silent",
  59: "reports_disordered",
  69: "last_report_lost",
  79: "voicemail_late",
  89: "recorded_late"
}

/** The timeline of one simulated call. */
export interface Timeline {
  /** In order of time. */
  readonly reports: ReadonlyArray<{ readonly at: DateTime.Utc; readonly event: CarrierEvent }>
  readonly end: Ended
  /** From when on the carrier no longer knows the call. */
  readonly unknownFrom?: DateTime.Utc
}

/** Dials at `dialedAt`; `speed` divides ringing and talking times. */
export const timeline = Effect.fnUntraced(
  function*(
    { callee, dialedAt, request, speed }: {
      readonly request: DialRequest
      readonly callee: Callee
      readonly dialedAt: DateTime.Utc
      readonly speed: number
    }
  ) {
    const between = (minimum: number, maximum: number) =>
      Effect.map(
        Random.nextBetween(minimum, maximum),
        // Whole milliseconds, as storage keeps them.
        (seconds) => Duration.millis(Math.round((seconds * 1000) / speed))
      )
    const after = (from: DateTime.Utc, span: Duration.Duration) => DateTime.addDuration(from, span)

    const rings = yield* between(3, 12)
    const talks = yield* between(20, 90)
    const short = yield* between(3, 6)
    const long = yield* between(25, 30)
    switch (callee) {
      case "busy":
        return unanswered(after(dialedAt, short), "busy", dialedAt)
      case "never_answers":
        return unanswered(after(dialedAt, long), "no_answer", dialedAt)
      case "voicemail":
      case "voicemail_late": {
        const answeredAt = after(dialedAt, rings)
        const whole = conversation({
          dialedAt,
          answeredAt,
          endedAt: after(answeredAt, short),
          answeredBy: "voicemail",
          transcript: request.agent.voicemailMessage === undefined
            ? []
            : [{ speaker: "agent", text: request.agent.voicemailMessage }]
        })
        return callee === "voicemail" ? whole : recognizedAt(whole, after(answeredAt, Duration.times(short, 0.5)))
      }
      case "hangs_up": {
        const answeredAt = after(dialedAt, rings)
        const [greeting] = sampleTranscript(request.agent)
        return conversation({
          dialedAt,
          answeredAt,
          endedAt: after(answeredAt, short),
          answeredBy: "human",
          transcript: [...(greeting === undefined ? [] : [greeting]), { speaker: "contact", text: "Sorry, not now." }]
        })
      }
      default: {
        const answeredAt = after(dialedAt, callee === "answers_late" ? long : rings)
        const whole = conversation({
          dialedAt,
          answeredAt,
          endedAt: after(answeredAt, talks),
          answeredBy: "human",
          transcript: sampleTranscript(request.agent)
        })
        return troubled(whole, callee, after(answeredAt, short))
      }
    }
  },
  (effect, { request }) => Random.withSeed(effect, request.callId)
)

/** The timeline of a call that is hung up at `at`: later events do not happen. */
export const cutShort = (end: Ended, at: DateTime.Utc): Ended => {
  const { answeredAt, answeredBy, transcript = [], ...rest } = end
  if (answeredAt === undefined || DateTime.isGreaterThan(answeredAt, at)) {
    return { ...rest, at, result: "hung_up", transcript: [] }
  }
  const talked = Duration.toMillis(DateTime.distance(answeredAt, at))
  const whole = Math.max(1, Duration.toMillis(DateTime.distance(answeredAt, end.at)))
  return {
    ...rest,
    at,
    result: "hung_up",
    answeredAt,
    ...(answeredBy !== undefined && { answeredBy }),
    transcript: transcript.slice(0, Math.ceil((transcript.length * talked) / whole))
  }
}

const unanswered = (at: DateTime.Utc, result: "busy" | "no_answer", dialedAt: DateTime.Utc): Timeline => {
  const end: Ended = { _tag: "Ended", at, result, transcript: [], recorded: false }
  return { end, reports: withSignsOfLife(dialedAt, [{ at, event: end }], at) }
}

const conversation = ({ answeredAt, answeredBy, dialedAt, endedAt, transcript }: {
  readonly dialedAt: DateTime.Utc
  readonly answeredAt: DateTime.Utc
  readonly endedAt: DateTime.Utc
  readonly answeredBy: "human" | "voicemail"
  readonly transcript: ReadonlyArray<TranscriptTurn>
}): Timeline => {
  const end: Ended = {
    _tag: "Ended",
    at: endedAt,
    result: "hung_up",
    answeredAt,
    answeredBy,
    transcript,
    recorded: false
  }
  const reports = [
    { at: answeredAt, event: { _tag: "Answered", at: answeredAt, by: answeredBy } as const },
    { at: endedAt, event: end }
  ]
  return { end, reports: withSignsOfLife(dialedAt, reports, endedAt) }
}

/** The reports with an `Alive` every 20 seconds of real time between them, as providers in a process give. */
export const withSignsOfLife = (
  dialedAt: DateTime.Utc,
  reports: Timeline["reports"],
  end: DateTime.Utc
): Timeline["reports"] => {
  const count = Math.floor(Duration.toMillis(DateTime.distance(dialedAt, end)) / Duration.toMillis(Limits.aliveEvery))
  const signs = Array.from({ length: count }, (_, index) => ({
    at: DateTime.addDuration(dialedAt, Duration.times(Limits.aliveEvery, index + 1)),
    event: { _tag: "Alive" } as const
  }))
  return [...reports, ...signs].sort((a, b) => DateTime.Order(a.at, b.at))
}

/** The same call to a machine, when the carrier does not know at once that it is one. */
const recognizedAt = ({ end, reports }: Timeline, at: DateTime.Utc): Timeline => ({
  end,
  reports: reports.flatMap(({ event, ...report }): Timeline["reports"] =>
    event._tag !== "Answered" ? [{ ...report, event }] : [
      { ...report, event: { ...event, by: "unknown" } },
      { at, event: { _tag: "Verdict", by: "voicemail" } }
    ]
  )
})

/** The same conversation, as a carrier in trouble reports it. */
const troubled = (whole: Timeline, callee: Callee, silentAt: DateTime.Utc): Timeline => {
  const { end, reports } = whole
  switch (callee) {
    case "falls_silent":
      return { end, reports: reports.filter(({ at }) => DateTime.isLessThan(at, silentAt)), unknownFrom: silentAt }
    case "last_report_lost":
      return { end, reports: reports.filter(({ event }) => event._tag !== "Ended") }
    case "reports_disordered":
      return { end, reports: reports.flatMap(({ event }) => [{ at: end.at, event }, { at: end.at, event }]).reverse() }
    default:
      return whole
  }
}
