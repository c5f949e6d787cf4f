/** What the carriers have in common: how long a call may take, how it is reported, and what is said of one that cannot be placed or found. */
import { type CarrierEvent, CarrierRoutes, type CarrierTokens, Ids, type LineReports, Telephony } from "@outdial/core"
import type { PhoneNumber, Storage } from "@outdial/core"
import { DateTime, Duration, Effect, Option, Schedule, Schema } from "effect"

/** In the paths of callbacks as it is. */
const NameInPaths = Ids.CarrierName.check(
  Schema.isPattern(/^[\w.-]+$/u, { message: "must have letters, digits, dots, hyphens and underscores alone" })
)

/** A name that the options give. A wrong one is a bug of the caller. */
export const carrierName = (name: string): Ids.CarrierName => NameInPaths.make(name)

/** How long after the end of a call its callbacks are still taken: a phone that rings late is hung up. */
const afterEnd = Duration.hours(24)

/** Beyond the longest conversation: the carrier ends a call whose conversation does not. */
const timeLimitReserve = 60

/** How long the phone rings before the carrier gives up. */
export const ringSeconds = 45

/** A hang-up is safe to repeat. Without that the next attempt would come a minute later. Carriers wait 15 seconds for our answers. */
export const hangUpAgain = { times: 3, schedule: Schedule.exponential("500 millis") }

/** How often a call is connected again after its socket was lost. */
export const mostConnections = 10

/** How long the call may last at the carrier once it is answered. */
export const timeLimit = ({ agent }: Telephony.DialRequest): Duration.Duration =>
  Duration.seconds(agent.maxDurationSeconds + timeLimitReserve)

/** Until when the carrier may call back for a call that is placed by `placedBy`. */
export const callbacksUntil = (placedBy: DateTime.Utc, lasts: Duration.Duration = Duration.zero): DateTime.Utc =>
  placedBy.pipe(DateTime.addDuration(lasts), DateTime.addDuration(afterEnd))

/** The number that the call is placed from. Fails if there is none. */
export const callerIdOf = Effect.fnUntraced(
  function*(
    carrier: string,
    { callId, callerId }: Telephony.DialRequest,
    byDefault: PhoneNumber.PhoneNumber | undefined
  ) {
    const from = callerId ?? byDefault
    if (from !== undefined) return from
    yield* Effect.logError(
      `The agent of ${callId} has no caller id, and there is no default: ${carrier} needs a number to call from`
    )
    return yield* unavailable("There is no number to call from")
  }
)

/** Those of the numbers that the carrier does not let calls show. */
export const unusable = <E>(
  numbers: ReadonlyArray<PhoneNumber.PhoneNumber>,
  isCallerId: (number: PhoneNumber.PhoneNumber) => Effect.Effect<boolean, E>
): Effect.Effect<ReadonlyArray<PhoneNumber.PhoneNumber>, E> =>
  Effect.filter(numbers, (number) => Effect.map(isCallerId(number), (is) => !is), { concurrency: 2 })

/** Fails if it is too late for the call. To be asked right before the request: the process may have been suspended. */
export const inTime = Effect.fnUntraced(function*({ dialBy }: Telephony.DialRequest) {
  const now = yield* DateTime.now
  return DateTime.isGreaterThanOrEqualTo(now, dialBy) ? yield* unavailable("It is too late for the call") : now
})

/** Nothing was sent. */
const unavailable = (why: string) => new Telephony.DialFailed({ reason: "unavailable", cause: new Error(why) })

/** Nothing more can be known of the call; after so long it is over. */
export const lostAfter = (
  life: Duration.Duration,
  { submittedAt }: Telephony.PlacedCall,
  now: DateTime.Utc
): Telephony.CarrierView =>
  DateTime.isLessThan(now, DateTime.addDuration(submittedAt, life))
    ? { _tag: "Unreachable" }
    : { _tag: "Ended", event: { _tag: "Ended", at: now, result: "failed", code: "carrier_lost", recorded: false } }

/** The carrier's view of a call. An error proves nothing. */
export const viewed = (
  carrier: string,
  { callId }: Telephony.PlacedCall,
  view: Effect.Effect<Telephony.CarrierView, unknown>
): Effect.Effect<Telephony.CarrierView> =>
  view.pipe(
    Effect.tapError((error) => Effect.logWarning(`${callId} could not be looked up at ${carrier}`, error)),
    Effect.orElseSucceed((): Telephony.CarrierView => ({ _tag: "Unreachable" }))
  )

/** Reports an event of a call, and ends the call at the carrier when it should not be. Returns whether it goes on. */
export type Report = (
  call: CarrierTokens.TokenCall,
  carrierCallId: string,
  event: CarrierEvent.CarrierEvent
) => Effect.Effect<boolean, Storage.StorageError>

export const reporter = (
  reports: LineReports.LineReports["Service"],
  end: (callId: Ids.CallId, carrierCallId: string) => Effect.Effect<void>
): Report =>
  Effect.fnUntraced(function*(call, carrierCallId, event) {
    const instruction = yield* reports.report({ ...call, carrierCallId: Ids.CarrierCallId.make(carrierCallId), event })
    if (instruction === "continue") return true
    if (event._tag !== "Ended") yield* end(call.callId, carrierCallId)
    return false
  })

/** None when it cannot be read. */
export const instantOf = (text: string | null | undefined): DateTime.Utc | undefined =>
  text === null || text === undefined
    ? undefined
    : Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toUtc))

export const forbidden = new CarrierRoutes.Refused({ reason: "forbidden" })
export const malformed = new CarrierRoutes.Refused({ reason: "malformed" })
