/**
 * Places one call: creates its channel, waits until it is in our application, opens its sound, and only then rings the phone. Until that last
 * request nothing can ring, so that all that fails before it is `unavailable`; after it, only a response tells.
 */
import { Telephony } from "@outdial/core"
import { DateTime, Duration, Effect, Option } from "effect"
import * as CarrierCall from "../call/CarrierCall.ts"
import type { Answer } from "../request/SingleRequest.ts"
import * as SingleRequest from "../request/SingleRequest.ts"
import { type AsteriskUnreachable, messageOf } from "./AriApi.ts"
import * as AriEvents from "./AriEvents.ts"
import { contexts } from "./AsteriskFiles.ts"
import * as EndRecord from "./EndRecord.ts"
import type { EventSocketState } from "./EventSocket.ts"
import { callerVariables } from "./MediaLeg.ts"
import * as NodeCall from "./NodeCall.ts"
import type { NodeCalls } from "./NodeCalls.ts"

export interface DialOptions extends NodeCall.NodeCallOptions {
  readonly calls: NodeCalls
  readonly state: () => EventSocketState
  /** Most channels at once over the trunk, of all nodes; none without a limit. */
  readonly channels: number | undefined
}

/** How long Asterisk may take to give the channel to our application. It takes a millisecond. */
const startedWithin = "3 seconds"

/** How long Asterisk may take to say that the request is sent. It takes a few milliseconds. */
const sentWithin = "1 second"

/**
 * How long after the last instant to place a call its phone may begin to ring: the request takes up to three seconds. Asterisk may have stood
 * still meanwhile.
 */
const ringsWithin = Duration.seconds(10)

/**
 * Ends a channel that was not answered, by Asterisk itself, also if a dial comes through late: from its creation on, for the seconds of a dial
 * and for the ring time-out.
 */
const fence = String(CarrierCall.ringSeconds + 5)

const failed = (reason: Telephony.DialFailed["reason"], why: string) =>
  new Telephony.DialFailed({ reason, cause: new Error(why) })

const notSent = (why: string) => failed("unavailable", why)

/** The failure of a question before the phone was rung. */
const withoutAnswer = ({ cause, status }: AsteriskUnreachable) =>
  new Telephony.DialFailed({ reason: isRefusal(status) ? "not_authorized" : "unavailable", cause })

const isRefusal = (status: number | undefined): boolean => status === 401 || status === 403

const said = ({ body, status }: Answer) => `Asterisk has answered with status ${status}${messageOf(body)}`

export const make = (options: DialOptions) => {
  const { api, app, calls, channels, state, trunk } = options

  /** Creates the channel, and returns once it can be dialed. */
  const create = Effect.fnUntraced(function*(call: NodeCall.NodeCall, request: Telephony.DialRequest) {
    const now = yield* CarrierCall.inTime(request)
    call.createdAt = now.epochMilliseconds
    const answer = yield* Effect.mapError(
      api.create({
        endpoint: trunk.dialString(request.phoneNumber),
        app,
        channelId: call.callId,
        variables: {
          [AriEvents.accountVariable]: { value: call.accountId, report_events: true },
          OUTDIAL_CREATED_AT: String(call.createdAt),
          OUTDIAL_MAX_SECONDS: String(Duration.toSeconds(longest(request))),
          "CHANNEL(hangup_handler_push)": `${contexts.ended},s,1`,
          "TIMEOUT(absolute)": fence,
          "PJSIP_HEADER(add,X-Call-Id)": call.callId,
          ...callerVariables("CONNECTEDLINE", call.caller)
        }
      }),
      (cause) => notSent(SingleRequest.withoutRequest("Asterisk", cause).message)
    )
    if (isRefusal(answer.status)) return yield* failed("not_authorized", said(answer))
    // It may be that of another attempt. Only a look-up can tell.
    if (answer.status === 409) return yield* failed("unknown", said(answer))
    // It would be refused again.
    if (answer.status === 400) return yield* failed("refused", said(answer))
    if (answer.status !== 200) return yield* notSent(said(answer))
    yield* Effect.timeoutOrElse(call.started.await, {
      duration: startedWithin,
      orElse: () => notSent("Asterisk has not given the channel to our application")
    })
  })

  /** Fails if the trunk is down or full. The channel of the call is one of those that are counted. */
  const hasRoom = Effect.gen(function*() {
    const endpoint = yield* Effect.mapError(api.endpoint(trunk.technology, trunk.resource), withoutAnswer)
    if (Option.isNone(endpoint)) return yield* notSent(`Asterisk has no endpoint ${trunk.technology}/${trunk.resource}`)
    if (endpoint.value.state === "offline") return yield* notSent("The trunk is down")
    if (channels !== undefined && endpoint.value.channel_ids.length > channels) {
      return yield* notSent("The trunk is full")
    }
  })

  /** Whether it is certain that no request was sent for a call whose channel is over. */
  const isUnsent = ({ callId }: NodeCall.NodeCall) =>
    Effect.map(Effect.option(api.record(callId)), (found) => Option.exists(Option.flatten(found), EndRecord.isUnsent))

  const ring = Effect.fnUntraced(function*(call: NodeCall.NodeCall, request: Telephony.DialRequest) {
    const before = Effect.andThen(
      CarrierCall.inTime(request),
      Effect.sync(() => {
        call.isDialed = true
      })
    )
    const answer = yield* Effect.mapError(
      api.dial(call.callId, CarrierCall.ringSeconds, before),
      (cause) => cause instanceof Telephony.DialFailed ? cause : SingleRequest.failureWithout("Asterisk", cause)
    )
    // There is no channel any more. Something may have repeated a request that was carried out.
    if (answer.status === 404) {
      return yield* failed((yield* isUnsent(call)) ? "unavailable" : "unknown", "The channel ended before its dial")
    }
    if (answer.status !== 204) return yield* failed("unknown", said(answer))
    // Asterisk has begun, and says so once the request is sent. If it has no free port for sound, it sends none, and ends the channel.
    yield* Effect.timeoutOption(Effect.raceFirst(call.sent.await, call.over.await), sentWithin)
    if (call.sent.isOpen() || !call.over.isOpen()) return
    if (yield* isUnsent(call)) return yield* notSent("Asterisk could not send the request")
  })

  return Effect.fnUntraced(function*(request: Telephony.DialRequest) {
    const { accountId, agent, callerId, callId, dialBy } = request
    if (state() === "refused") return yield* failed("not_authorized", "Asterisk has refused the user and the password")
    if (state() !== "open") return yield* notSent("Asterisk's events do not come")
    // Asterisk forgets ids. If this one was dialed before, it must not ring again.
    const earlier = yield* Effect.mapError(api.record(callId), withoutAnswer)
    if (Option.exists(earlier, EndRecord.hasReached)) return yield* failed("unknown", "The call was dialed before")
    const call = yield* calls.open({
      accountId,
      callId,
      ringsBy: DateTime.addDuration(dialBy, ringsWithin).epochMilliseconds,
      caller: { number: callerId, name: agent.name }
    })
    yield* Effect.gen(function*() {
      yield* create(call, request)
      yield* Effect.all([
        hasRoom,
        Effect.catch(NodeCall.connect(call, options), () => notSent("The sound could not be connected with Asterisk"))
      ], { concurrency: "unbounded", discard: true })
      yield* ring(call, request)
    }).pipe(
      Effect.tapError(({ reason }) => {
        if (reason === "unknown") return Effect.void
        call.isDialed = false
        return calls.discard(call)
      }),
      Effect.onInterrupt(() => call.isDialed ? Effect.void : calls.abandon(call)),
      Effect.ensuring(Effect.sync(() => call.decided.openUnsafe()))
    )
    return callId
  })
}

/** How long the call may last once it is answered. */
const longest = (request: Telephony.DialRequest): Duration.Duration =>
  request.agent.transferNumbers.length === 0
    ? CarrierCall.timeLimit(request)
    : Duration.max(CarrierCall.timeLimit(request), transferTimeLimit)

/** As long as a call may last that is transferred. */
const transferTimeLimit = Duration.hours(4)
