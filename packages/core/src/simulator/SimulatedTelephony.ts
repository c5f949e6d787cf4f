/**
 * A carrier that rings no phone: it drives the real state machine with callees chosen by number (`SimulatedCallee`). Its
 * agenda moves only in `runOnce`, so it is deterministic under a test clock; its dial log is the truth of which phones
 * would have rung.
 */
import { Context, DateTime, Duration, Effect, Fiber, FiberSet, Layer, Option, Schema } from "effect"
import { CarrierCallId, simulatedCarrier } from "../domain/Ids.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { CarrierEvent, Ended } from "../domain/CarrierEvent.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import * as OptionNames from "../domain/OptionNames.ts"
import { LineReports } from "../telephony/LineReports.ts"
import { type Recording, Recordings } from "../recording/Recordings.ts"
import { sampleAudio } from "./SampleAudio.ts"
import { ActiveConversations } from "../conversation/ConversationRunner.ts"
import { Conversations } from "../conversation/Conversations.ts"
import { type Contact, following, type Script, scriptOf } from "./SimulatedContact.ts"
import * as SimulatedLine from "./SimulatedLine.ts"
import { type Callee, calleeOf, cutShort, type Timeline, timeline, withSignsOfLife } from "./SimulatedCallee.ts"
import { type CarrierView, DialFailed, DialRequest, Telephony } from "../telephony/Telephony.ts"

/** The name of the simulator as a carrier. */
export const carrier = simulatedCarrier

/** A phone that rang. */
export interface Ring {
  readonly at: DateTime.Utc
  readonly callId: CallId
  readonly phoneNumber: PhoneNumber
}

/** The rings of one simulator since it was made, oldest first. */
export class DialLog extends Context.Service<DialLog, {
  readonly rings: Effect.Effect<ReadonlyArray<Ring>>
}>()("@outdial/core/simulator/SimulatedTelephony/DialLog") {}

/** A call that is going on, as a simulator needs it to continue. */
export const JournalEntry = Schema.Struct({ request: DialRequest, dialedAt: Schema.DateTimeUtcFromString })
export type JournalEntry = typeof JournalEntry.Type

/** Keeps live calls beyond the life of the process, as a real carrier would. */
export interface Journal {
  readonly unfinished: Effect.Effect<ReadonlyArray<JournalEntry>>
  readonly dialed: (entry: JournalEntry) => Effect.Effect<void>
  readonly finished: (callId: CallId) => Effect.Effect<void>
}

export interface SimulatedTelephonyOptions {
  /** Divides ringing and talking times; 1 when not given. */
  readonly speed?: number
  /** Chooses the callee; by the number's last digits when not given, or when it answers `undefined`. */
  readonly callee?: (request: DialRequest) => Callee | undefined
  /** What the contact says and does in the conversation; chosen by the callee when not given, or when it answers `undefined`. */
  readonly contact?: (request: DialRequest) => Contact | Script | undefined
  /** Called for every ringing phone, before anything else happens in the call. */
  readonly onRing?: (ring: Ring) => Effect.Effect<void>
  /** Whether the carrier is reachable. Default: always. Live calls continue, and are reported. */
  readonly isReachable?: () => boolean
  /** Whether the carrier takes calls of the operator's account. Default: always. */
  readonly isAuthorized?: () => boolean
  /** When not given, calls end with the process. */
  readonly journal?: Journal
}

const optionNames: OptionNames.Names<SimulatedTelephonyOptions> = {
  speed: true,
  callee: true,
  contact: true,
  onRing: true,
  isReachable: true,
  isAuthorized: true,
  journal: true
}

/** How long after the end a late recording comes. */
const recordingDelay = Duration.seconds(10)

/** How long an ended call can still be looked up. */
const memory = Duration.hours(1)

/** The simulator's state of one call. */
interface SimulatedCall {
  readonly accountId: AccountId
  readonly request: DialRequest
  readonly callee: Callee
  readonly end: Ended
  readonly unknownFrom?: DateTime.Utc
  /** Still to be reported, in order. */
  readonly agenda: Timeline["reports"]
  /** How often somebody spoke: its recording is as long. */
  readonly turns: number
  /** Ended, and removed from the journal. */
  readonly finished: boolean
}

/** Longer than the conversation may be: the carrier ends a call whose conversation does not. */
const longest = ({ agent }: DialRequest) =>
  Duration.sum(Duration.seconds(agent.maxDurationSeconds), Duration.minutes(2))

/**
 * Simulated phones. The callee of a call is chosen by the last digits of its number. Where the host provides `Conversations`, callees
 * talk with the agent; otherwise the conversation is a sample, as long as its timeline says.
 */
export const layer = (
  options: SimulatedTelephonyOptions = {}
): Layer.Layer<Telephony | DialLog, never, LineReports | Recordings> =>
  Layer.effectContext(
    Effect.gen(function*() {
      OptionNames.checkUnsafe(options, optionNames)
      const reports = yield* LineReports
      const recordings = yield* Recordings
      const conversations = yield* Effect.serviceOption(Conversations)
      const active = yield* Effect.serviceOption(ActiveConversations)
      const talks = yield* FiberSet.make<void>()
      const {
        callee = () => undefined,
        contact = () => undefined,
        isAuthorized = () => true,
        isReachable = () => true,
        journal,
        onRing = () => Effect.void,
        speed = 1
      } = options
      const calls = new Map<CallId, SimulatedCall>()
      const rings: Array<Ring> = []
      const unavailable = new Map<CallId, number>()
      /** By the number of turns: the audio only shows who speaks. */
      const audios = new Map<number, Recording>()

      const calleeFor = (request: DialRequest) => callee(request) ?? calleeOf(request.phoneNumber)

      /** The lines of conversations that are going on. */
      const lines = new Map<CallId, SimulatedLine.SimulatedLine>()

      /** What is reported after the end. */
      const afterEnd = (callee: Callee, { at }: Ended): Timeline["reports"] =>
        callee === "recorded_late"
          ? [{ at: DateTime.addDuration(at, Duration.times(recordingDelay, 1 / speed)), event: { _tag: "Recorded" } }]
          : []

      const place = Effect.fnUntraced(function*({ dialedAt, request }: JournalEntry) {
        const callee = calleeFor(request)
        const sample = yield* timeline({ request, dialedAt, speed, callee })
        const { reports: agenda, ...plan } = Option.isSome(conversations) && conversing.has(callee)
          ? openEnded(sample, { dialedAt, request })
          : sample
        const turns = plan.end.transcript?.length ?? 0
        calls.set(request.callId, {
          accountId: request.accountId,
          request,
          callee,
          agenda: [...agenda, ...afterEnd(callee, plan.end)],
          turns,
          finished: false,
          ...plan
        })
      })

      yield* Effect.forEach(journal === undefined ? [] : yield* journal.unfinished, place, { discard: true })

      const ring = Effect.fnUntraced(function*(request: DialRequest) {
        const entry = { request, dialedAt: yield* DateTime.now }
        const rung = { at: entry.dialedAt, callId: request.callId, phoneNumber: request.phoneNumber }
        rings.push(rung)
        if (journal !== undefined) yield* journal.dialed(entry)
        yield* onRing(rung)
        yield* place(entry)
        return CarrierCallId.make(`sim_${request.callId}`)
      })

      /** Stores the recording of a call; returns whether there is one. */
      const record = Effect.fnUntraced(function*({ accountId, request: { callId }, turns }: SimulatedCall) {
        if (turns === 0) return false
        const audio = audios.get(turns) ?? sampleAudio(turns)
        audios.set(turns, audio)
        return Option.isSome(yield* Effect.option(recordings.put({ accountId, callId }, audio)))
      })

      /** The end of a call, with its recording stored. */
      const ended = Effect.fnUntraced(function*(call: SimulatedCall) {
        return call.callee === "recorded_late"
          ? { ...call.end, recordingFollows: true }
          : { ...call.end, recorded: yield* record(call) }
      })

      const finish = Effect.fnUntraced(function*(call: SimulatedCall) {
        calls.set(call.request.callId, { ...call, agenda: [], finished: true })
        if (journal !== undefined) yield* journal.finished(call.request.callId)
      })

      /** Talks with the agent until either side hangs up. */
      const talk = Effect.fnUntraced(function*({ accountId, callee, request }: SimulatedCall) {
        if (Option.isNone(conversations) || !conversing.has(callee) || lines.has(request.callId)) return
        const { callId } = request
        const person = contact(request) ?? scriptOf(callee)
        const held = Effect.gen(function*() {
          const line = yield* SimulatedLine.make({
            contact: typeof person === "function" ? person : following(person),
            speed
          })
          lines.set(callId, line)
          const hold = yield* Effect.forkScoped(
            // After a restart the lease of the process before may still be running.
            conversations.value.hold({ accountId, callId, takesOver: true, line: line.line }),
            { startImmediately: true }
          )
          yield* line.closed
          yield* endNow(callId)
          yield* Fiber.await(hold)
        }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => lines.delete(callId))))
        yield* FiberSet.run(talks, held)
      })

      /** Hangs up. The end is reported like any other end. */
      const endNow = Effect.fnUntraced(function*(callId: CallId) {
        const call = calls.get(callId)
        const now = yield* DateTime.now
        if (call === undefined || isPast(call.end.at, now)) return
        const line = lines.get(callId)
        yield* line?.close ?? Effect.void
        const end = cutShort(call.end, now)
        const turns = line?.turns() ?? end.transcript?.length ?? 0
        calls.set(callId, { ...call, end, turns, agenda: [{ at: now, event: end }, ...afterEnd(call.callee, end)] })
      })

      const report = Effect.fnUntraced(function*(call: SimulatedCall, event: CarrierEvent) {
        const { accountId, request: { callId } } = call
        if (event._tag === "Recorded" && !(yield* record(call))) return
        const instruction = yield* reports.report({
          accountId,
          callId,
          event: event._tag === "Ended" ? yield* ended(call) : event
        })
        if (instruction === "hang_up") yield* endNow(callId)
        if (instruction === "discard") yield* Effect.ignore(recordings.remove({ accountId, callId }))
      })

      /** Reports what is due in one call, in order. A failed report stays on the agenda. */
      const advance = Effect.fnUntraced(function*(call: SimulatedCall, now: DateTime.Utc) {
        const due = call.agenda.filter(({ at }) => DateTime.isLessThanOrEqualTo(at, now))
        const { callId } = call.request
        for (const { event } of due) {
          const current = calls.get(callId)
          if (current === undefined || current.agenda.length === 0) break
          yield* report(current, event)
          if (event._tag === "Answered" && calls.get(callId)?.agenda === current.agenda) yield* talk(current)
          const latest = calls.get(callId) ?? current
          // The call was hung up meanwhile: its agenda is now its end.
          if (latest.agenda !== current.agenda) break
          calls.set(callId, { ...latest, agenda: latest.agenda.slice(1) })
        }
        return due.length
      })

      const runOnce = Effect.gen(function*() {
        const now = yield* DateTime.now
        const due = [...calls.values()].filter(({ agenda }) =>
          agenda[0] !== undefined && DateTime.isLessThanOrEqualTo(agenda[0].at, now)
        )
        const reported = yield* Effect.forEach(
          due,
          (call) =>
            advance(call, now).pipe(
              Effect.tapError((error) =>
                Effect.logWarning("A simulated report was not accepted; it is retried", error)
              ),
              Effect.orElseSucceed(() => 0)
            ),
          { concurrency: "unbounded" }
        )
        for (const call of calls.values()) {
          if (call.agenda.length > 0 || !isPast(call.end.at, now)) continue
          if (!call.finished) yield* finish(call)
          if (isPast(DateTime.addDuration(call.end.at, memory), now)) calls.delete(call.request.callId)
        }
        return reported.reduce((sum, n) => sum + n, 0)
      })

      const failed = (reason: DialFailed["reason"]) => Effect.fail(new DialFailed({ reason, cause: "simulated" }))

      const dial = Effect.fn("SimulatedTelephony.dial")(function*(request: DialRequest) {
        const isLate = isPast(request.dialBy, yield* DateTime.now)
        if (isLate || !isReachable()) return yield* failed("unavailable")
        if (!isAuthorized()) {
          return yield* new DialFailed({
            reason: "not_authorized",
            cause: "simulated",
            carrierReason: { code: "401", message: "Unauthorized" }
          })
        }
        switch (calleeFor(request)) {
          case "refused":
            return yield* new DialFailed({
              reason: "refused",
              cause: "simulated",
              carrierReason: { code: "603", message: "Declined" }
            })
          case "unavailable_twice": {
            const count = (unavailable.get(request.callId) ?? 0) + 1
            if (count > 2) {
              unavailable.delete(request.callId)
              return yield* ring(request)
            }
            unavailable.set(request.callId, count)
            return yield* failed("unavailable")
          }
          case "unknown_rings":
            yield* ring(request)
            return yield* failed("unknown")
          case "unknown_lost":
            return yield* failed("unknown")
          default:
            return yield* ring(request)
        }
      })

      return Context.make(DialLog, { rings: Effect.sync(() => [...rings]) }).pipe(
        Context.add(Telephony, {
          name: carrier,
          dial,
          lookUp: Effect.fn("SimulatedTelephony.lookUp")(function*({ callId }): Effect.fn.Return<CarrierView> {
            if (!isReachable()) return { _tag: "Unreachable" }
            const call = calls.get(callId)
            const now = yield* DateTime.now
            if (call === undefined || isPast(call.unknownFrom, now)) return { _tag: "NotFound" }
            return isPast(call.end.at, now) ? { _tag: "Ended", event: yield* ended(call) } : { _tag: "Live" }
          }),
          hangUp: Effect.fn("SimulatedTelephony.hangUp")(function*({ callId }) {
            if (!isReachable()) {
              return yield* Effect.logWarning(`${callId} could not be hung up: the carrier is unreachable`)
            }
            yield* endNow(callId)
          }),
          notFoundLag: Duration.seconds(5),
          // A simulator that takes every call asks nothing of the storage.
          ...(options.isAuthorized !== undefined && { check: Effect.sync(() => isReachable() && isAuthorized()) }),
          polling: {
            every: Duration.millis(50),
            runOnce,
            nextDueAt: Effect.gen(function*() {
              const times = [...calls.values()].flatMap(({ agenda }) => agenda.slice(0, 1).map(({ at }) => at))
              const talked = Option.isSome(active) ? yield* active.value.nextDueAt : Option.none()
              return Option.fromUndefinedOr([...times, ...Option.toArray(talked)].sort(DateTime.Order)[0])
            }),
            ...(Option.isSome(active) && { idle: active.value.idle })
          }
        })
      )
    })
  )

/** The callees that talk with the agent. Those with a carrier in trouble have a sample conversation. */
const conversing: ReadonlySet<Callee> = new Set<Callee>([
  "talks",
  "hangs_up",
  "voicemail",
  "voicemail_late",
  "unavailable_twice",
  "unknown_rings",
  "recorded_late",
  "answers_late"
])

/** The timeline of a call whose conversation decides when it ends. */
const openEnded = ({ end, reports }: Timeline, { dialedAt, request }: JournalEntry): Timeline => {
  if (end.answeredAt === undefined) return { end, reports: [{ at: end.at, event: end }] }
  const at = DateTime.addDuration(end.answeredAt, longest(request))
  const last = { ...end, at, transcript: [] }
  const begin = reports.filter(({ event }) => event._tag === "Answered" || event._tag === "Verdict")
  return { end: last, reports: withSignsOfLife(dialedAt, [...begin, { at, event: last }], at) }
}

const isPast = (at: DateTime.Utc | undefined, now: DateTime.Utc): boolean =>
  at !== undefined && DateTime.isLessThanOrEqualTo(at, now)
