/**
 * Port: submits calls to a carrier. Progress is reported through `LineReports`, not returned. A provider never submits
 * a call twice; what it does not know for certain it reports as `unknown`.
 */
import { type Cause, Clock, Context, DateTime, Deferred, Duration, Effect, Layer, type Option, Schema } from "effect"
import type { CallRouting } from "../domain/CallRoute.ts"
import { InvalidRequest } from "../domain/Errors.ts"
import * as OptionNames from "../domain/OptionNames.ts"
import { type CarrierCallId, CarrierName } from "../domain/Ids.ts"
import {
  decodeDialAnswer,
  decodeKey,
  decodeReport,
  decodeView,
  type HostLine,
  type HostReported,
  type PromiseTelephony
} from "./PromiseTelephony.ts"
import type { Conversations } from "../conversation/Conversations.ts"
import type { Routes } from "./CarrierRoute.ts"
import type { CarrierTokens } from "./CarrierTokens.ts"
import { LineReports } from "./LineReports.ts"
import { Recordings } from "../recording/Recordings.ts"
import { type CallToEnd, type CarrierView, DialFailed, type DialRequest, type PlacedCall } from "./DialRequest.ts"

export type * from "./PromiseTelephony.ts"
export * from "./DialRequest.ts"

/** The services that the engine provides to the layer of a carrier. */
export type CarrierServices = CarrierTokens | Conversations | LineReports | Recordings

/** A carrier as the engine uses it. */
export interface Carrier {
  readonly name: CarrierName
  /** Submits the call and returns the carrier's id for it. Ringing and all later events are reported through `LineReports`. */
  readonly dial: (request: DialRequest) => Effect.Effect<CarrierCallId, DialFailed>
  readonly lookUp: (call: PlacedCall) => Effect.Effect<CarrierView>
  /** Ends the call if it lives; safe to repeat. Logs a warning when the carrier could not end it. */
  readonly hangUp: (call: CallToEnd) => Effect.Effect<void>
  /** How long after a submission `NotFound` may still mean that the carrier lags. */
  readonly notFoundLag: Duration.Duration
  /**
   * Whether the carrier takes calls again after `not_authorized`; places none. It is asked every `Limits.carrierCheckEvery` while dialing is
   * paused for that. Absent: an operator has to resume.
   */
  readonly check?: Effect.Effect<boolean>
  /**
   * How many calls all processes together may dial per second, above 0; spread evenly, so that none waits in a queue of the carrier. Absent
   * without a limit.
   */
  readonly callsPerSecond?: number
}

/** Work of a carrier's own that falls due, such as asking it for the states of calls. */
export interface Polling {
  readonly every: Duration.Duration
  /** Does the work that is due now; returns how much. */
  readonly runOnce: Effect.Effect<number>
  readonly nextDueAt: Effect.Effect<Option.Option<DateTime.Utc>>
  /** Returns when nothing of it is in flight; at once when absent. */
  readonly idle?: Effect.Effect<void>
}

/** Several carriers, and which calls go over each. */
export interface Router {
  readonly carriers: ReadonlyMap<CarrierName, Carrier>
  /** The carriers' own work. Each is done at its pace, so that one that hangs or fails holds no other up. */
  readonly pollings: ReadonlyArray<Polling>
  readonly routing: CallRouting
  /** A hash of the routes. Of two sets of routes, it is the same once in four billion: then waiting calls stay with their carriers. */
  readonly version: string
}

export class Telephony extends Context.Service<
  Telephony,
  Omit<Carrier, "name"> & {
    /**
     * Names the carrier. It is stored with each call before the dial, and only a node whose carrier has this name looks
     * the call up or ends it. Absent without a carrier, and for a router: then no call is dialed over this one.
     */
    readonly name: CarrierName | undefined
    /** The carriers that calls go over, in place of this one. */
    readonly router?: Router
    /** The callbacks and sockets of the carrier, and of each carrier behind a router; absent when it brings none. */
    readonly routes?: ReadonlyArray<Routes>
    /** Absent when all progress is pushed, and for a router. */
    readonly polling?: Polling
  }
>()("@outdial/core/telephony/Telephony") {
  /**
   * A carrier made of functions that return promises. When one throws, the call is treated as if its phone may have rung: after `dial` the
   * call is looked up and never dialed again, after `lookUp` it is looked up later, after `hangUp` it is left for the next attempt.
   */
  static readonly layerOf = (
    connect: (line: HostLine) => PromiseTelephony | Promise<PromiseTelephony>
  ): Layer.Layer<Telephony, Cause.UnknownError | InvalidRequest, LineReports | Recordings> =>
    Layer.effect(Telephony, hosted(connect))

  /** No carrier, for a process that dials nothing: it claims no calls and handles those of no carrier. */
  static readonly layerNone = Layer.succeed(Telephony, {
    name: undefined,
    dial: () => Effect.fail(new DialFailed({ reason: "unavailable", cause: "This process has no carrier" })),
    lookUp: () => Effect.succeed({ _tag: "Unreachable" }),
    hangUp: () => Effect.void,
    notFoundLag: Duration.minutes(1)
  })
}

/** The carriers of this process by their names: one, those behind a router, or none. The first is that of calls without a route. */
export const carriersOf = (telephony: Telephony["Service"]): ReadonlyMap<CarrierName, Carrier> => {
  const { name, router } = telephony
  if (router !== undefined) return router.carriers
  return name === undefined ? new Map() : new Map([[name, { ...telephony, name }]])
}

/** The own work of all carriers of this process. */
export const pollingsOf = ({ polling, router }: Telephony["Service"]): ReadonlyArray<Polling> =>
  router?.pollings ?? (polling === undefined ? [] : [polling])

/** The carrier's id from the report. This one is to be ended, whichever id is stored. */
const carrierCallIdOf = ({ carrierCallId, event }: HostReported): Pick<CallToEnd, "carrierCallId"> => {
  const reported = event._tag === "Accepted" ? event.carrierCallId : carrierCallId
  return reported === undefined ? {} : { carrierCallId: reported }
}

/** Waited for an answer of a host's function, which may have no time-out of its own. */
const requestTimeout = "30 seconds"

const isName = Schema.is(CarrierName)
const isLag = (given: unknown): given is number => typeof given === "number" && Number.isFinite(given) && given > 0

const forms = { name: "must be text of 1 to 64 characters", notFoundLagSeconds: "must be a number of seconds above 0" }

/** A setting that the provider has given. */
const checked = <A>(is: (given: unknown) => given is A, field: keyof typeof forms, given: unknown) =>
  is(given)
    ? Effect.succeed(given)
    : Effect.fail(new InvalidRequest({ problems: [{ path: ["telephony", field], message: forms[field] }] }))

const hosted = Effect.fnUntraced(function*(connect: (line: HostLine) => PromiseTelephony | Promise<PromiseTelephony>) {
  const reports = yield* LineReports
  const recordings = yield* Recordings
  const run = Effect.runPromiseWith(yield* Effect.context())
  // The carrier may call back before `connect` has returned.
  const connected = yield* Deferred.make<PromiseTelephony>()

  const hangUp = Effect.fn("Telephony.hangUp")(
    function*({ accountId, callId, callerId, carrierCallId, phoneNumber, submittedAt }: CallToEnd) {
      const host = yield* Deferred.await(connected)
      const call = {
        accountId,
        callId,
        ...(carrierCallId !== undefined && { carrierCallId }),
        ...(phoneNumber !== undefined && { phoneNumber }),
        ...(callerId !== undefined && { callerId }),
        ...(submittedAt !== undefined && { submittedAt: DateTime.toDateUtc(submittedAt) })
      }
      yield* Effect.tryPromise(async (signal) => host.hangUp(call, { signal })).pipe(
        Effect.timeout(requestTimeout),
        Effect.catch((error) => Effect.logWarning(`${callId} could not be hung up`, error))
      )
    }
  )

  const line: HostLine = {
    report: (report) =>
      run(Effect.gen(function*() {
        const decoded = yield* decodeReport(report).pipe(
          Effect.tapError((error) =>
            Effect.logWarning(`A report of the telephony provider was refused: ${error.message}`)
          )
        )
        const instruction = yield* reports.report(decoded)
        if (instruction === "discard") return yield* recordings.remove(decoded)
        if (instruction === "continue") return
        // A call without an agent must not stay open because the storage is unavailable.
        const known = yield* Effect.orElseSucceed(reports.callToEnd(decoded), () => decoded)
        yield* hangUp({ ...known, ...carrierCallIdOf(decoded) })
      })),
    keepRecording: (call, recording) =>
      run(Effect.gen(function*() {
        const key = yield* Effect.promise(() => decodeKey(call))
        return yield* recordings.put(key, recording).pipe(
          Effect.as(true),
          Effect.catch((error) =>
            Effect.as(Effect.logWarning(`The recording of ${key.callId} was not stored`, error), false)
          )
        )
      }))
  }

  const host = yield* Effect.acquireRelease(
    Effect.tryPromise(async () => connect(line)),
    (host) => Effect.promise(async () => host.close?.())
  )
  OptionNames.checkPlainUnsafe(host, providerNames, "method or field")
  const name = yield* checked(isName, "name", host.name)
  const notFoundLag = Duration.seconds(yield* checked(isLag, "notFoundLagSeconds", host.notFoundLagSeconds))
  yield* Deferred.succeed(connected, host)

  return Telephony.of({
    name,
    dial: Effect.fn("Telephony.dial")(function*({ dialBy, ...request }) {
      const clock = yield* Clock.Clock
      const mayStillRing = () => clock.currentTimeMillisUnsafe() < dialBy.epochMilliseconds
      const answer = yield* Effect.tryPromise({
        try: async (signal) => decodeDialAnswer(await host.dial(request, { signal, mayStillRing })),
        catch: (cause) => new DialFailed({ reason: "unknown", cause })
      })
      if ("carrierCallId" in answer) return answer.carrierCallId
      const { carrierReason, cause, failed: reason } = answer
      return yield* new DialFailed({ reason, cause, ...(carrierReason !== undefined && { carrierReason }) })
    }),
    lookUp: Effect.fn("Telephony.lookUp")(({ submittedAt, ...call }) =>
      Effect.tryPromise(async (signal) =>
        host.lookUp({ ...call, submittedAt: DateTime.toDateUtc(submittedAt) }, { signal })
      ).pipe(
        Effect.flatMap(decodeView),
        Effect.timeout(requestTimeout),
        Effect.tapError((error) => Effect.logWarning(`${call.callId} could not be looked up`, error)),
        Effect.orElseSucceed((): CarrierView => ({ _tag: "Unreachable" }))
      )
    ),
    hangUp,
    notFoundLag,
    ...(host.check !== undefined && {
      check: Effect.tryPromise(async (signal) => host.check?.({ signal })).pipe(
        Effect.timeout(requestTimeout),
        // A host without types may resolve with anything.
        Effect.map((isWell) => isWell === true),
        Effect.catch((error) =>
          Effect.as(Effect.logWarning(`The carrier "${name}" could not be checked`, error), false)
        )
      )
    })
  })
})

const providerNames: OptionNames.Names<PromiseTelephony> = {
  name: true,
  dial: true,
  lookUp: true,
  hangUp: true,
  notFoundLagSeconds: true,
  check: true,
  close: true
}
