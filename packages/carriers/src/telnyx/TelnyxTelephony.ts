/**
 * Calls over Telnyx's Call Control: each is placed with the address of the relay that holds the conversation, and its progress comes by
 * signed webhooks, to any process. What a process needs to know of a call travels with it (`ClientState`).
 */
import {
  CarrierRoutes,
  CarrierTokens,
  Conversations,
  Ids,
  LineReports,
  type PhoneNumber,
  Recordings,
  type Storage,
  Telephony
} from "@outdial/core"
import { Cause, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom, Signature } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as CarrierCall from "../call/CarrierCall.ts"
import * as CarrierRecording from "../call/CarrierRecording.ts"
import { forbidden, instantOf, lostAfter, malformed } from "../call/CarrierCall.ts"
import * as RelayCall from "../relay/RelayCall.ts"
import * as RelayFrames from "../relay/RelayFrames.ts"
import * as ClientState from "./ClientState.ts"
import * as TelnyxAccount from "./TelnyxAccount.ts"
import * as TelnyxApi from "./TelnyxApi.ts"
import * as TelnyxErrors from "./TelnyxErrors.ts"
import * as TelnyxEvents from "./TelnyxEvents.ts"
import * as TelnyxSessions from "./TelnyxSessions.ts"
import * as TelnyxSignature from "./TelnyxSignature.ts"

export interface TelnyxOptions extends TelnyxAccount.Credentials {
  /**
   * Names the carrier where a process has several accounts at Telnyx: up to 64 letters, digits, dots, hyphens and underscores. It is part of
   * the addresses of callbacks and stored with every call: do not change it while there are live calls. Default: `telnyx`.
   */
  readonly name?: string | undefined
  /** The account's public key, in base64, as the portal shows it. It verifies webhooks. */
  readonly publicKey: string
  /** A number of the account, for agents without a caller id of their own. Default: none; calls of such agents are not placed. */
  readonly callerId?: PhoneNumber.PhoneNumber | undefined
  /** Where Telnyx reaches the server, `https://…`, with the base path and without a slash at the end. */
  readonly publicUrl: string
  /** Telnyx rejects what is above the account's limit, 30 dials per second unless it was changed. Default: 5. */
  readonly callsPerSecond?: number | undefined
  /** Whether Telnyx finds out who has answered, which it bills for each call. Default: true. */
  readonly detectsMachines?: boolean | undefined
  /**
   * How fast the voice speaks. Telnyx does not report what it has played: what the contact has heard, and when the agent has finished, is
   * estimated from it. Default: 15, which is 150 words of English a minute.
   */
  readonly charactersPerSecond?: number | undefined
  /**
   * Whether calls are recorded, in two channels, and copied into `Recordings`, and whether Telnyx keeps its recording. Where a contact must
   * consent to it, let the agent's `disclosure` say so. Default: `off`.
   */
  readonly recording?: CarrierRecording.RecordingMode | undefined
}

/** The name of the carrier, if the options give no other. */
export const carrier: Ids.CarrierName = Ids.CarrierName.make("telnyx")

/** How long Telnyx may take to list a call. Not documented; the webhooks of a call come within seconds. */
const notFoundLag = Duration.minutes(2)

/** After its submission no call lives at Telnyx: it rings for at most ten minutes, and is ended after four hours. */
const longestLife = Duration.hours(5)

/**
 * How long after the last instant to place a call Telnyx may begin with it, by its clock: the request takes up to 15 seconds, and the two
 * clocks may differ.
 */
const startsWithin = Duration.seconds(30)

/** How long the greeting of a machine may go on before the message is left in any case: without a tone, its end is not reported. */
const greetingTimeout = "30 seconds"

const purposes = { events: "telnyx events", relay: "telnyx relay" } as const

export const layer = (
  options: TelnyxOptions
): Layer.Layer<Telephony.Telephony, Cause.UnknownError, Telephony.CarrierServices> =>
  Layer.effect(Telephony.Telephony, make(options)).pipe(
    Layer.provide([
      FetchHttpClient.layer,
      Signature.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
    ])
  )

const make = Effect.fnUntraced(function*(options: TelnyxOptions) {
  const { callerId, callsPerSecond = 5, connectionId, detectsMachines = true, publicUrl, recording: mode = "off" } =
    options
  const name = options.name === undefined ? carrier : CarrierCall.carrierName(options.name)
  const dialect = {
    ...RelayFrames.telnyx,
    ...(options.charactersPerSecond !== undefined && { speaking: 1000 / options.charactersPerSecond })
  }
  const tokens = yield* CarrierTokens.CarrierTokens
  const reports = yield* LineReports.LineReports
  const conversations = yield* Conversations.Conversations
  const recordings = yield* Recordings.Recordings
  const signature = yield* Signature.Signature
  const scope = yield* Effect.scope
  const publicKey = yield* Effect.mapError(
    TelnyxSignature.makeKey(options.publicKey),
    (cause) => new Cause.UnknownError(cause, "The public key of Telnyx must be 32 bytes in base64")
  )
  const api = yield* TelnyxAccount.apiOf(options)

  const end = (callId: Ids.CallId, callControlId: string) =>
    api.hangUp(callControlId).pipe(
      Effect.retry(CarrierCall.hangUpAgain),
      Effect.catch((error) => Effect.logWarning(`${callId} could not be hung up at Telnyx`, error))
    )

  const report = CarrierCall.reporter(reports, end)

  const addressOf = (
    path: keyof typeof purposes,
    { accountId, callId }: CarrierTokens.TokenCall,
    expiresAt: DateTime.Utc
  ) =>
    Effect.map(
      tokens.make({ accountId, callId, purpose: purposes[path], expiresAt }),
      (token) =>
        (path === "relay" ? CarrierRoutes.socketAddressOf : CarrierRoutes.addressOf)({
          publicUrl,
          carrier: name,
          path: `/${path}`,
          token
        })
    )

  const sessions = TelnyxSessions.make({ api, conversations, report, end, addressOf, isRecorded: mode !== "off" })

  /** Whether Telnyx has the application, it is active, and the account has credit. */
  const isReady = Effect.gen(function*() {
    const application = yield* api.application
    if (!Option.exists(application, ({ active }) => active !== false)) return false
    return Option.getOrElse(Option.map(yield* api.credit, (credit) => credit > 0), () => true)
  })

  /** The failure of a dial, which may be the operator's fault and not that of the call. */
  const ofAccount = Effect.fnUntraced(function*(failure: Telephony.DialFailed): Effect.fn.Return<
    never,
    Telephony.DialFailed
  > {
    if (!TelnyxErrors.mayBeOfAccount(failure)) return yield* failure
    const ready = yield* Effect.option(isReady)
    if (Option.contains(ready, true)) return yield* failure
    const { carrierReason, cause } = failure
    return yield* new Telephony.DialFailed({
      // Nothing rang, and the call can wait until Telnyx says more.
      reason: Option.isNone(ready) ? "unavailable" : "not_authorized",
      cause,
      ...(carrierReason !== undefined && { carrierReason })
    })
  })

  const dial = Effect.fnUntraced(function*(request: Telephony.DialRequest) {
    const { accountId, agent: { language, voice, ...agent }, callId, dialBy, phoneNumber } = request
    const from = yield* CarrierCall.callerIdOf("Telnyx", request, callerId)
    const mayTransfer = agent.transferNumbers.length > 0
    const most = Duration.seconds(TelnyxSessions.longestCall)
    const longest = mayTransfer ? most : Duration.min(CarrierCall.timeLimit(request), most)
    const state: ClientState.ClientState = {
      accountId,
      callId,
      by: dialBy.epochMilliseconds,
      leavesMessage: agent.voicemail === "leave_message" && agent.voicemailMessage !== undefined,
      connections: 1,
      ...(mayTransfer && { mayTransfer }),
      ...(language !== undefined && { language }),
      ...(voice !== undefined && { voice })
    }
    const expiresAt = CarrierCall.callbacksUntil(dialBy, longest)
    const command = {
      connection_id: connectionId,
      // Never several numbers: they would all ring.
      to: phoneNumber,
      from,
      // Telnyx ignores what repeats it within a minute, should something on the way to it do so. A later attempt is no repetition.
      command_id: `${callId} ${dialBy.epochMilliseconds}`,
      client_state: ClientState.encode(state),
      ...(yield* sessions.webhooks(state, expiresAt)),
      timeout_secs: CarrierCall.ringSeconds,
      time_limit_secs: Duration.toSeconds(longest),
      // On another route the same phone would ring again.
      retry_on_timeout: false,
      conversation_relay_config: yield* sessions.relay(state, expiresAt),
      // Beside the conversation, so that a person does not wait.
      ...(detectsMachines && { answering_machine_detection: "premium" }),
      // From the answer on, the contact and the agent apart.
      ...(mode !== "off" && { record: "record-from-answer", record_channels: "dual", record_format: "wav" })
    }
    yield* CarrierCall.inTime(request)
    const placed = yield* Effect.catch(api.dial(command), ofAccount)
    // Ours may ring all the same.
    if (isOfAnother(placed, callId)) {
      return yield* new Telephony.DialFailed({ reason: "unknown", cause: answeredForAnother })
    }
    return Ids.CarrierCallId.make(placed.call_control_id)
  })

  /** The calls that live and have our id: one, unless something has repeated our request. */
  const live = (callId: Ids.CallId) =>
    Effect.map(api.active, (calls) => calls.filter(({ client_state }) => isOf(client_state, callId)))

  /** The state of a call that Telnyx does not name any more, by the webhooks of the last day. */
  const viewInPast = Effect.fnUntraced(function*(call: Telephony.PlacedCall) {
    const past = yield* api.past({ to: call.phoneNumber })
    const now = yield* DateTime.now
    const legs = Object.values(Object.groupBy(past, ({ legId }) => legId)).filter((leg) => leg !== undefined)
    const ours = legs.filter((leg) => leg.some(isOfCall(call)))
    const ends = ours.map((leg) => TelnyxEvents.endIn(leg, now)).filter((event) => event !== undefined)
    // One of them may still ring, although no list of living calls has it.
    if (ends.length < ours.length) return lostAfter(longestLife, call, now)
    const event = ends.find(({ answeredAt }) => answeredAt !== undefined) ?? ends.at(-1)
    if (event !== undefined) {
      return { _tag: "Ended", event: CarrierRecording.announced(mode, event) } satisfies Telephony.CarrierView
    }
    // What cannot be read may be of any call, and says nothing of how this one has ended.
    const earliest = DateTime.subtractDuration(call.submittedAt, notFoundLag)
    const unread = legs.filter((leg) =>
      leg.every(({ at, payload }) =>
        payload.call_control_id === undefined && (at === undefined || DateTime.isGreaterThanOrEqualTo(at, earliest))
      )
    )
    if (unread.length === 0) return { _tag: "NotFound" } satisfies Telephony.CarrierView
    return lostAfter(unread.every(TelnyxEvents.isOver) ? notFoundLag : longestLife, call, now)
  })

  const lookUp = Effect.fnUntraced(
    function*(call: Telephony.PlacedCall): Effect.fn.Return<Telephony.CarrierView, TelnyxApi.TelnyxUnreachable> {
      const { callId, carrierCallId } = call
      if (carrierCallId === undefined) {
        if ((yield* live(callId)).length > 0) return { _tag: "Live" }
        return yield* viewInPast(call)
      }
      const found = yield* api.get(carrierCallId)
      if (Option.exists(found, (one) => isOfAnother(one, callId))) {
        return yield* new TelnyxApi.TelnyxUnreachable({ cause: answeredForAnother })
      }
      const now = yield* DateTime.now
      if (Option.isNone(found)) {
        const view = yield* viewInPast(call)
        // Telnyx has named it.
        return view._tag === "NotFound" ? lostAfter(longestLife, call, now) : view
      }
      const { call_leg_id: legId, end_time, is_alive } = found.value
      if (is_alive === true) {
        yield* sessions.mend(call, carrierCallId, found.value)
        return { _tag: "Live" }
      }
      const past = yield* api.past({ legId })
      const event = TelnyxEvents.endIn(past, now)
      if (event !== undefined) return { _tag: "Ended", event: CarrierRecording.announced(mode, event) }
      const endedAt = instantOf(end_time)
      // A call that has not begun is not alive either.
      if (endedAt === undefined) {
        return isWithin(longestLife, call.submittedAt, now)
          ? { _tag: "Live" }
          : lostAfter(longestLife, call, now)
      }
      // Its last webhook may not be in the list yet.
      if (isWithin(notFoundLag, endedAt, now)) return { _tag: "Unreachable" }
      const last = TelnyxEvents.endOf({ at: endedAt, payload: {} }, past)
      return { _tag: "Ended", event: CarrierRecording.announced(mode, last) }
    }
  )

  const hangUp = Effect.fnUntraced(
    function*({ callId, carrierCallId }: Telephony.CallToEnd) {
      if (carrierCallId !== undefined) return yield* end(callId, carrierCallId)
      yield* Effect.forEach(yield* live(callId), ({ call_control_id }) => end(callId, call_control_id), {
        discard: true
      })
    },
    (work, { callId }) =>
      Effect.catch(work, (error) => Effect.logWarning(`${callId} could not be hung up at Telnyx`, error))
  )

  /** The call of the token in the address. */
  const named = ({ rest }: CarrierRoutes.Handshake, path: keyof typeof purposes) =>
    rest.length === 1 ? tokens.check(rest[0] ?? "", purposes[path]) : Effect.succeedNone

  /** The call of a genuine webhook, and what Telnyx says of it. */
  const verified = Effect.fnUntraced(function*(request: CarrierRoutes.Request) {
    const isGenuine = yield* TelnyxSignature.isValid(publicKey, request).pipe(
      Effect.provideService(Signature.Signature, signature),
      Effect.orDie
    )
    const call = yield* named(request, "events")
    if (!isGenuine || Option.isNone(call)) return yield* forbidden
    const { data } = yield* Effect.mapError(
      TelnyxEvents.decodeWebhook(new TextDecoder().decode(request.body)),
      () => malformed
    )
    const { call_control_id: callControlId, client_state } = data.payload
    const state = ClientState.decode(client_state)
    // That of a recording names only the leg.
    if (callControlId !== undefined && !isCallControlId(callControlId) || Option.isNone(state)) return yield* malformed
    // The address is of one call, and the webhook of another.
    if (state.value.callId !== call.value.callId || state.value.accountId !== call.value.accountId) {
      return yield* forbidden
    }
    return { call: call.value, callControlId, data, state: state.value }
  })

  /** Without its past the end does not say when the call was answered; the engine knows it, unless a webhook was lost. */
  const ended = Effect.fnUntraced(
    function*({ call, callControlId, data: { occurred_at, payload } }: TelnyxSessions.OfCall) {
      const { call_leg_id: legId } = payload
      const past = yield* (legId === undefined ? Effect.succeed([]) : api.past({ legId })).pipe(
        Effect.catch((error) =>
          Effect.as(Effect.logWarning(`When ${call.callId} was answered could not be looked up at Telnyx`, error), [])
        )
      )
      const at = instantOf(occurred_at) ?? (yield* DateTime.now)
      yield* report(call, callControlId, CarrierRecording.announced(mode, TelnyxEvents.endOf({ at, payload }, past)))
    }
  )

  /** Whether nobody has answered the call by now. If Telnyx does not say, it counts as unanswered. */
  const isUnanswered = ({ call_leg_id: legId }: TelnyxEvents.WebhookData["payload"]) =>
    legId === undefined
      ? Effect.succeed(true)
      : Effect.orElseSucceed(Effect.map(api.past({ legId }), (past) => !TelnyxEvents.isAnswered(past)), () => true)

  const onEvent = Effect.fnUntraced(
    function*(webhook: TelnyxSessions.OfCall): Effect.fn.Return<void, Storage.StorageError> {
      const { call, callControlId, data, state: { by, contact, leavesMessage } } = webhook
      if (contact !== undefined) return yield* sessions.ofTransfer(webhook, contact)
      if (data.event_type === TelnyxEvents.names.hangup) return yield* ended(webhook)
      if (data.event_type === TelnyxEvents.names.relayEnded) return yield* sessions.ended(webhook)
      const now = yield* DateTime.now
      const event = TelnyxEvents.progressOf(data, { callControlId, leavesMessage, now })
      if (event === undefined) return
      const goesOn = yield* report(call, callControlId, event)
      if (!goesOn) return
      // Telnyx's own time: a webhook that comes late, or again, says nothing of when the call began.
      const at = instantOf(data.occurred_at) ?? now
      const isLate = at.epochMilliseconds > by + Duration.toMillis(startsWithin)
      if (event._tag === "Accepted" && isLate && (yield* isUnanswered(data.payload))) {
        yield* Effect.logWarning(`${call.callId} has begun too late at Telnyx, and is hung up`)
        return yield* end(call.callId, callControlId)
      }
      if (event._tag === "Alive" && TelnyxEvents.kindOf(data.payload.result) === "voicemail") {
        const verdict = report(call, callControlId, { _tag: "Verdict", by: "voicemail" })
        yield* Effect.forkIn(Effect.delay(Effect.ignore(verdict), greetingTimeout), scope)
      }
    }
  )

  const copy = CarrierRecording.copier({ carrier: "Telnyx", mode, recordings, reports, scope })

  const idIn = ({ call_control_id: id }: TelnyxEvents.WebhookData["payload"]) =>
    id === undefined ? undefined : Ids.CarrierCallId.make(id)

  /** A recording of the call can be downloaded. */
  const saved = Effect.fnUntraced(function*(call: CarrierTokens.TokenCall, { payload }: TelnyxEvents.WebhookData) {
    const { call_leg_id: legId, recording_urls: urls } = payload
    const url = urls?.["wav"] ?? urls?.["mp3"]
    if (legId === undefined || typeof url !== "string") return yield* malformed
    const carrierCallId = idIn(payload)
    yield* copy(call, { id: legId, carrierCallId, download: api.recording(url), remove: api.removeRecordings(legId) })
  })

  const charged = Effect.fnUntraced(function*(call: CarrierTokens.TokenCall, { payload }: TelnyxEvents.WebhookData) {
    const cost = TelnyxEvents.costOf(payload)
    if (Option.isNone(cost)) return
    const carrierCallId = idIn(payload)
    const of = carrierCallId === undefined ? call : { ...call, carrierCallId }
    yield* reports.report({ ...of, event: { _tag: "Charged", cost: cost.value } })
  })

  const events: CarrierRoutes.Callback = {
    method: "POST",
    path: "/events",
    handle: Effect.fnUntraced(function*(request) {
      const { call, callControlId, data, state } = yield* verified(request)
      if (data.event_type === TelnyxEvents.names.recordingSaved) yield* saved(call, data)
      // That of the call to another number would replace ours.
      else if (data.event_type === TelnyxEvents.names.cost) {
        yield* state.contact === undefined
          ? charged(call, data)
          : Effect.void
      } else if (callControlId === undefined) return yield* malformed
      else yield* onEvent({ call, callControlId, data, state })
      return { status: 200 } as const
    })
  }

  const relay: CarrierRoutes.SocketRoute = {
    path: "/relay",
    // Telnyx signs no sockets.
    accept: Effect.fnUntraced(function*(request) {
      const call = yield* named(request, "relay")
      if (Option.isNone(call)) return yield* forbidden
      return (socket) =>
        RelayCall.hold(call.value, socket, {
          dialect,
          conversations,
          report,
          idOf: ({ callControlId, callSid }) => [callControlId ?? callSid].find(isCallControlId),
          hangUp: ({ callId }, callControlId) => end(callId, callControlId),
          isOver: (callControlId) =>
            Effect.map(api.get(callControlId), (found) =>
              Option.isNone(found) || (found.value.is_alive !== true && typeof found.value.end_time === "string")),
          // It carries no word to the webhook that follows.
          moves: "by_closing",
          transfers: {
            command: ({ carrierCallId, from = callerId, ...transfer }) =>
              sessions.transfer({ ...transfer, callControlId: carrierCallId, from })
          }
        })
    })
  }

  return Telephony.Telephony.of({
    name,
    dial: Effect.fn("TelnyxTelephony.dial")(dial),
    lookUp: Effect.fn("TelnyxTelephony.lookUp")((call) => CarrierCall.viewed("Telnyx", call, lookUp(call))),
    hangUp: Effect.fn("TelnyxTelephony.hangUp")(hangUp),
    notFoundLag,
    check: isReady.pipe(
      Effect.tapError((error) => Effect.logWarning("Telnyx does not answer a check of the account", error)),
      Effect.orElseSucceed(() => false)
    ),
    callsPerSecond,
    routes: [{ carrier: name, callbacks: [events], sockets: [relay] }]
  })
})

const isCallControlId = Schema.is(TelnyxApi.CallControlId)

/** Not the call to a number that it is transferred to. */
const isOf = (clientState: string | null | undefined, callId: Ids.CallId): boolean =>
  Option.exists(ClientState.decode(clientState), (state) => state.callId === callId && state.contact === undefined)

/** Whether Telnyx has named another call than it was asked for. One without a state may be ours. */
const isOfAnother = ({ client_state: state }: TelnyxApi.Call, callId: Ids.CallId): boolean =>
  state !== undefined && state !== null && state !== "" && !isOf(state, callId)

const answeredForAnother = new Error("Telnyx has answered for another call")

/** Whether a webhook is of the call; of the one that Telnyx has named, if it has. */
const isOfCall = ({ callId, carrierCallId }: Telephony.PlacedCall) => ({ payload }: TelnyxEvents.PastEvent): boolean =>
  isOf(payload.client_state, callId) && (carrierCallId === undefined || payload.call_control_id === carrierCallId)

const isWithin = (span: Duration.Duration, since: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, DateTime.addDuration(since, span))
