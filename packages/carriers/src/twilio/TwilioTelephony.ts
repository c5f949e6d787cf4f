/**
 * Calls over Twilio: each is placed with instructions to connect it with the conversation over a WebSocket (ConversationRelay), and its
 * progress comes by signed callbacks, to any process.
 */
import {
  CarrierRoutes,
  CarrierTokens,
  Conversations,
  Ids,
  LineReports,
  type PhoneNumber,
  Recordings,
  Telephony
} from "@outdial/core"
import { DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as CarrierCall from "../call/CarrierCall.ts"
import * as CarrierRecording from "../call/CarrierRecording.ts"
import { forbidden, instantOf, lostAfter, malformed, mostConnections } from "../call/CarrierCall.ts"
import * as RelayCall from "../relay/RelayCall.ts"
import { twilio as dialect } from "../relay/RelayFrames.ts"
import { actionOf, detection, isLate, recorded, repeated, type Spoken, spokenOf, statusOf } from "./CallForm.ts"
import * as CallPrices from "./CallPrices.ts"
import * as TwilioAccount from "./TwilioAccount.ts"
import * as TwilioApi from "./TwilioApi.ts"
import {
  decodeAction,
  decodeRecording,
  decodeStatus,
  decodeVerdict,
  endOf,
  eventOf,
  followingOf,
  isTerminal,
  kindOf,
  moved,
  transferData
} from "./TwilioReports.ts"
import * as TwilioSignature from "./TwilioSignature.ts"
import * as TwilioStream from "./TwilioStream.ts"
import * as Twiml from "./Twiml.ts"

export interface TwilioOptions extends TwilioAccount.Credentials {
  /**
   * Names the carrier where a process has several accounts at Twilio: up to 64 letters, digits, dots, hyphens and underscores. It is part of
   * the addresses of callbacks and stored with every call: do not change it while there are live calls. Default: `twilio`.
   */
  readonly name?: string | undefined
  /**
   * A number of the account, or one that it has verified, for agents without a caller id of their own. Default: none; calls of such agents
   * are not placed.
   */
  readonly callerId?: PhoneNumber.PhoneNumber | undefined
  /** Where Twilio reaches the server, `https://…`, with the base path and without a slash at the end. */
  readonly publicUrl: string
  /** Twilio starts one call per second unless it has raised the account's limit. Default: 1. */
  readonly callsPerSecond?: number | undefined
  /** Whether Twilio finds out who has answered, which it bills for each call. Default: true. */
  readonly detectsMachines?: boolean | undefined
  /**
   * What is exchanged with Twilio in a conversation. `relay`: text, which Twilio recognizes and speaks (ConversationRelay). `stream`: sound
   * (Media Streams), which needs a `VoiceAgent`. Default: `relay`.
   */
  readonly media?: "relay" | "stream" | undefined
  /**
   * Whether calls are recorded until they end or are transferred, in two channels, and copied into `Recordings`, and whether Twilio keeps its
   * recording. `own`: they are recorded here, which needs `media: "stream"`. Where a contact must consent to it, let the agent's `disclosure`
   * say so. Default: `off`.
   */
  readonly recording?: CarrierRecording.RecordingMode | "own" | undefined
}

/** The name of the carrier, if the options give no other. */
export const carrier: Ids.CarrierName = Ids.CarrierName.make("twilio")

/** How long a call of an agent that transfers calls may last: as long as Twilio lets a call to another number last. */
const transferTimeLimit = Duration.hours(4)

/** How long Twilio may take to list a call. Not documented; the callbacks of a call come within seconds. */
const notFoundLag = Duration.minutes(2)

/** After its submission no call lives at Twilio: it waits in the queue for at most 24 hours, and is ended after four more. */
const longestLife = Duration.hours(30)

/** How long before its submission a call may have been created, by Twilio's clock: it has seconds, and differs from ours a little. */
const createdBefore = Duration.seconds(5)

/** How long after it: 10 seconds to the deadline of the dial, 15 for the request, and the rest for Twilio to work on it. */
const createdAfter = Duration.minutes(1)

const purposes = {
  amd: "twilio amd",
  status: "twilio status",
  action: "twilio action",
  media: "twilio media",
  recording: "twilio recording",
  relay: "twilio relay"
} as const

export const layer = (
  options: TwilioOptions
): Layer.Layer<Telephony.Telephony, never, Telephony.CarrierServices> =>
  Layer.effect(Telephony.Telephony, make(options)).pipe(
    Layer.provide([FetchHttpClient.layer, Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))])
  )

const make = Effect.fnUntraced(function*(options: TwilioOptions) {
  const {
    accountSid,
    authToken,
    callerId,
    callsPerSecond = 1,
    detectsMachines = true,
    media = "relay",
    publicUrl,
    recording: mode = "off"
  } = options
  const name = options.name === undefined ? carrier : CarrierCall.carrierName(options.name)
  if (mode === "own" && media !== "stream") {
    return yield* Effect.die(new Error("Twilio: recording: \"own\" needs media: \"stream\""))
  }
  /** Whether Twilio records. */
  const isCopied = mode === "copy" || mode === "move"
  const tokens = yield* CarrierTokens.CarrierTokens
  const reports = yield* LineReports.LineReports
  const conversations = yield* Conversations.Conversations
  if (media === "stream" && conversations.takesSound === false) {
    return yield* Effect.die(new Error("Twilio: media: \"stream\" exchanges sound: give a voiceAgent, too"))
  }
  const recordings = yield* Recordings.Recordings
  const scope = yield* Effect.scope
  const mac = yield* Mac.Mac
  const signatureKey = yield* Effect.orDie(TwilioSignature.makeKey(authToken))
  const api = yield* TwilioAccount.apiOf(options)
  const prices = CallPrices.make({ api, carrier: name, reports })

  const addresses = Effect.fnUntraced(function*(call: CarrierTokens.TokenCall, expiresAt: DateTime.Utc) {
    const address = (path: keyof typeof purposes, of: typeof CarrierRoutes.addressOf) =>
      Effect.map(
        tokens.make({ ...call, purpose: purposes[path], expiresAt }),
        (token) => of({ publicUrl, carrier: name, path: `/${path}`, token })
      )
    return {
      amd: yield* address("amd", CarrierRoutes.addressOf),
      status: yield* address("status", CarrierRoutes.addressOf),
      action: yield* address("action", CarrierRoutes.addressOf),
      recording: yield* address("recording", CarrierRoutes.addressOf),
      media: yield* address("media", CarrierRoutes.socketAddressOf),
      relay: yield* address("relay", CarrierRoutes.socketAddressOf)
    }
  })

  /** The instructions to connect the call with its conversation, for the `count`th time. */
  const connected = (to: Effect.Success<ReturnType<typeof addresses>>, connection: Spoken, count: number) => {
    const actionUrl = actionOf(to.action, connection, count)
    return media === "stream"
      ? Twiml.stream({ streamUrl: to.media, actionUrl })
      : Twiml.connect({ relayUrl: to.relay, actionUrl, ...connection })
  }

  const dial = Effect.fnUntraced(function*(request: Telephony.DialRequest) {
    const { accountId, agent, callId, dialBy, phoneNumber } = request
    const from = yield* CarrierCall.callerIdOf("Twilio", request, callerId)
    const limit = CarrierCall.timeLimit(request)
    const longest = agent.transferNumbers.length === 0 ? limit : Duration.max(limit, transferTimeLimit)
    const to = yield* addresses({ accountId, callId }, CarrierCall.callbacksUntil(dialBy, longest))
    const connection: Spoken = {
      ...(agent.language !== undefined && { language: agent.language }),
      ...(agent.voice !== undefined && { voice: agent.voice })
    }
    const form: TwilioApi.Form = [
      ["To", phoneNumber],
      ["From", from],
      ["Twiml", connected(to, connection, 1)],
      ["StatusCallback", statusOf(to.status, dialBy)],
      ...["initiated", "ringing", "answered", "completed"].map((event) => ["StatusCallbackEvent", event] as const),
      // Twilio adds up to five seconds.
      ["Timeout", String(CarrierCall.ringSeconds)],
      ["TimeLimit", String(Duration.toSeconds(longest))],
      ...detectsMachines ? detection(agent, to.amd) : [],
      ...isCopied ? recorded(to.recording) : []
    ]
    const now = yield* CarrierCall.inTime(request)
    const created = yield* api.create(form)
    const startsAt = DateTime.add(now, { milliseconds: Number(created.queue_time ?? 0) || 0 })
    if (DateTime.isGreaterThan(startsAt, dialBy)) {
      // It waits in Twilio's queue. Its end is reported like any other.
      yield* Effect.logWarning(`${callId} would wait too long in Twilio's queue, and is canceled. Lower callsPerSecond`)
      yield* end(callId, created.sid)
    }
    return Ids.CarrierCallId.make(created.sid)
  })

  const end = (callId: Ids.CallId, sid: string) =>
    api.end(sid).pipe(
      Effect.retry(CarrierCall.hangUpAgain),
      Effect.catch((error) => Effect.logWarning(`${callId} could not be hung up at Twilio`, error))
    )

  /** The calls at Twilio that may be this one, when its id there is not known: those that were created as it was submitted. */
  const candidates = Effect.fnUntraced(function*(
    { phoneNumber, submittedAt }: Pick<Telephony.PlacedCall, "phoneNumber" | "submittedAt">,
    from: PhoneNumber.PhoneNumber | undefined
  ) {
    const between = {
      minimum: DateTime.subtractDuration(submittedAt, createdBefore),
      maximum: DateTime.addDuration(submittedAt, createdAfter)
    }
    const found = yield* api.list({ to: phoneNumber, from })
    return found.filter(({ date_created }) => {
      const createdAt = instantOf(date_created)
      return createdAt === undefined || DateTime.between(createdAt, between)
    })
  })

  const lookUp = Effect.fnUntraced(
    function*(call: Telephony.PlacedCall): Effect.fn.Return<Telephony.CarrierView, TwilioApi.TwilioUnreachable> {
      const found = call.carrierCallId === undefined
        ? yield* candidates(call, call.callerId ?? callerId)
        : Option.match(yield* api.get(call.carrierCallId), {
          // Twilio has named it. It is deleted, or another account's.
          onNone: () => undefined,
          onSome: (one) => [one]
        })
      const now = yield* DateTime.now
      if (found === undefined) return lostAfter(longestLife, call, now)
      if (found.length === 0) {
        // It may have gone out with another default caller id, before a restart or from another node.
        const others = call.callerId === undefined ? yield* candidates(call, undefined) : []
        return { _tag: others.some(isLive) ? "Unreachable" : "NotFound" }
      }
      if (found.some(isLive)) return { _tag: "Live" }
      const [only, ...others] = found
      // Which one it is, only a callback can tell. None of them rings any more.
      if (only === undefined || others.length > 0) return lostAfter(notFoundLag, call, now)
      // It may be another one, and this one may not be in the list yet.
      const isNamed = call.carrierCallId !== undefined
      if (!isNamed && DateTime.isLessThan(now, DateTime.addDuration(call.submittedAt, notFoundLag))) {
        return { _tag: "Unreachable" }
      }
      yield* prices.ended(call, only.sid)
      return {
        _tag: "Ended",
        event: CarrierRecording.announced(mode, endOf({ ...only, at: instantOf(only.end_time) ?? now }))
      }
    }
  )

  const hangUp = Effect.fnUntraced(
    function*({ callId, carrierCallId, phoneNumber, submittedAt, callerId: from = callerId }: Telephony.CallToEnd) {
      if (carrierCallId !== undefined) return yield* end(callId, carrierCallId)
      if (phoneNumber === undefined || submittedAt === undefined) {
        return yield* Effect.logWarning(`${callId} cannot be hung up: Twilio's id of it is not known`)
      }
      const [only, ...others] = (yield* candidates({ phoneNumber, submittedAt }, from)).filter(isLive)
      if (others.length > 0) {
        return yield* Effect.logWarning(`${callId} cannot be told from other calls to its number, and is not hung up`)
      }
      if (only !== undefined) yield* end(callId, only.sid)
    },
    (work, { callId }) =>
      Effect.catch(work, (error) => Effect.logWarning(`${callId} could not be hung up at Twilio`, error))
  )

  /** The call of a genuine request. */
  const verified = Effect.fnUntraced(function*(
    { headers, rest, url }: CarrierRoutes.Handshake,
    { fields = [], path, scheme }: {
      readonly path: keyof typeof purposes
      readonly fields?: TwilioApi.Form
      readonly scheme?: "ws"
    }
  ) {
    const signed = `${scheme === undefined ? publicUrl : publicUrl.replace(/^http/, scheme)}${url}`
    const isSigned = (url: string) =>
      TwilioSignature.isValid(signatureKey, headers["x-twilio-signature"], { url, fields }).pipe(
        Effect.provideService(Mac.Mac, mac),
        Effect.orDie
      )
    // Whether Twilio signs the fragment is not documented.
    const isGenuine = (yield* isSigned(signed)) || (yield* isSigned(signed + repeated))
    const call = rest.length === 1 ? yield* tokens.check(rest[0] ?? "", purposes[path]) : Option.none()
    return isGenuine && Option.isSome(call) ? call.value : yield* forbidden
  })

  const formOf = Effect.fnUntraced(function*<A>(
    request: CarrierRoutes.Request,
    path: keyof typeof purposes,
    decodeFields: (
      fields: Readonly<Record<string, string>>
    ) => Effect.Effect<A & { readonly AccountSid: string }, unknown>
  ) {
    const fields = [...new URLSearchParams(new TextDecoder().decode(request.body))]
    const call = yield* verified(request, { path, fields })
    const form = yield* Effect.mapError(decodeFields(Object.fromEntries(fields)), () => malformed)
    return form.AccountSid === accountSid ? { ...call, form } : yield* forbidden
  })

  const report = CarrierCall.reporter(reports, end)

  /** Whether nobody has answered the call by now. If Twilio does not say, it counts as ringing. */
  const stillRings = (sid: string) =>
    Effect.orElseSucceed(Effect.map(api.get(sid), Option.exists(isLiveUnanswered)), () => true)

  const status: CarrierRoutes.Callback = {
    method: "POST",
    path: "/status",
    handle: Effect.fnUntraced(function*(request) {
      const { form, ...call } = yield* formOf(request, "status", decodeStatus)
      // Twilio's own time: a callback that comes late, or again, says nothing of when the phone began to ring.
      const at = instantOf(form.Timestamp) ?? (yield* DateTime.now)
      const event = eventOf(form, at)
      const goesOn = yield* report(
        call,
        form.CallSid,
        event._tag === "Ended" ? CarrierRecording.announced(mode, event) : event
      )
      if (goesOn && isUnanswered(form) && isLate(request.url, at) && (yield* stillRings(form.CallSid))) {
        yield* Effect.logWarning(
          `${call.callId} has left Twilio's queue too late, and is hung up. Lower callsPerSecond`
        )
        yield* end(call.callId, form.CallSid)
      }
      if (goesOn && isTerminal(form.CallStatus)) yield* prices.ended(call, form.CallSid)
      return { status: 204 } as const
    })
  }

  const amd: CarrierRoutes.Callback = {
    method: "POST",
    path: "/amd",
    handle: Effect.fnUntraced(function*(request) {
      const { form, ...call } = yield* formOf(request, "amd", decodeVerdict)
      const by = kindOf(form.AnsweredBy)
      yield* report(call, form.CallSid, by === undefined ? { _tag: "Alive" } : { _tag: "Verdict", by })
      return { status: 204 } as const
    })
  }

  /** Who takes a call that is transferred has heard no disclosure. */
  const stopRecording = (callId: Ids.CallId, sid: string) =>
    Effect.catch(
      api.stopRecording(sid),
      (error) => Effect.logWarning(`The recording of ${callId} could not be stopped for its transfer`, error)
    )

  const action: CarrierRoutes.Callback = {
    method: "POST",
    path: "/action",
    handle: Effect.fnUntraced(function*(request) {
      const { form, ...call } = yield* formOf(request, "action", decodeAction)
      const { connection, count } = spokenOf(request.url)
      // A stream says nothing of its end: a conversation that is over has ended the call.
      const following = followingOf(media === "stream" ? { SessionStatus: "failed", ...form } : form)
      const isLast = following._tag === "Conversation" && count >= mostConnections
      if (following._tag === "HangUp" || isTerminal(form.CallStatus) || isLast) return answer(Twiml.hangUp)
      // Twilio would not ask again, and end the call: while storage is away, it goes on.
      const goesOn = yield* Effect.orElseSucceed(report(call, form.CallSid, { _tag: "Alive" }), () => true)
      if (!goesOn) return answer(Twiml.hangUp)
      const to = yield* addresses(call, CarrierCall.callbacksUntil(yield* DateTime.now))
      if (following._tag !== "Transfer") return answer(connected(to, connection, count + 1))
      if (isCopied) yield* stopRecording(call.callId, form.CallSid)
      const actionUrl = actionOf(to.action, connection, count + 1)
      return answer(Twiml.dial({ number: following.number, callerId: form.From, actionUrl }))
    })
  }

  const copy = CarrierRecording.copier({
    carrier: "Twilio",
    mode: mode === "own" ? "copy" : mode,
    recordings,
    reports,
    scope
  })

  const recording: CarrierRoutes.Callback = {
    method: "POST",
    path: "/recording",
    handle: Effect.fnUntraced(function*(request) {
      const { form: { CallSid, RecordingSid: id, RecordingStatus }, ...call } = yield* formOf(
        request,
        "recording",
        decodeRecording
      )
      const carrierCallId = Ids.CarrierCallId.make(CallSid)
      if (RecordingStatus === "completed") {
        yield* copy(call, { id, carrierCallId, download: api.recording(id), remove: api.removeRecording(id) })
      } else if (RecordingStatus === "absent" || RecordingStatus === "failed") {
        yield* reports.report({ ...call, carrierCallId, event: { _tag: "NotRecorded" } })
      }
      return { status: 204 } as const
    })
  }

  /** What both kinds of conversations ask of the call. */
  const controls = {
    conversations,
    report,
    idOf: (setup: { readonly accountSid?: string; readonly callSid: string }) =>
      setup.accountSid === accountSid && isCallSid(setup.callSid) ? setup.callSid : undefined,
    hangUp: ({ callId }: CarrierTokens.TokenCall, sid: string) => end(callId, sid),
    isOver: (sid: string) => Effect.map(api.get(sid), (call) => Option.isNone(call) || isTerminal(call.value.status))
  }

  const transfer = Effect.fnUntraced(
    function*(call: CarrierTokens.TokenCall & { readonly sid: string }, number: PhoneNumber.PhoneNumber) {
      if (isCopied) yield* stopRecording(call.callId, call.sid)
      const to = yield* addresses(call, CarrierCall.callbacksUntil(yield* DateTime.now, transferTimeLimit))
      // The number that we have called from.
      const from = Option.getOrUndefined(yield* api.get(call.sid))?.from ?? undefined
      const dialed = Twiml.dial({ number, callerId: from, actionUrl: actionOf(to.action, {}, 1) })
      return yield* api.instruct(call.sid, dialed)
    },
    // It may have taken them.
    (work, { callId }) =>
      Effect.catch(
        work,
        (error) => Effect.as(Effect.logWarning(`Whether Twilio transfers ${callId} is unknown`, error), true)
      )
  )

  const stream: CarrierRoutes.SocketRoute = {
    path: "/media",
    accept: (request) =>
      Effect.map(
        verified(request, { path: "media", scheme: "ws" }),
        (call) => (socket) =>
          TwilioStream.hold(call, socket, {
            ...controls,
            transfer,
            ...(mode === "own" && { recording: { recordings, reports } })
          })
      )
  }

  const converse = (call: CarrierTokens.TokenCall, socket: CarrierRoutes.Socket) =>
    RelayCall.hold(call, socket, {
      ...controls,
      dialect,
      moves: { handoffData: moved },
      transfers: { handoffData: transferData }
    })

  const relay: CarrierRoutes.SocketRoute = {
    path: "/relay",
    accept: (request) =>
      Effect.map(verified(request, { path: "relay", scheme: "ws" }), (call) => (socket) => converse(call, socket))
  }

  return Telephony.Telephony.of({
    name,
    dial: Effect.fn("TwilioTelephony.dial")(dial),
    lookUp: Effect.fn("TwilioTelephony.lookUp")((call) => CarrierCall.viewed("Twilio", call, lookUp(call))),
    hangUp: Effect.fn("TwilioTelephony.hangUp")(hangUp),
    notFoundLag,
    callsPerSecond,
    check: api.account.pipe(
      Effect.map(({ status }) => status === "active"),
      Effect.tapError((error) => Effect.logWarning("Twilio does not answer a check of the account", error)),
      Effect.orElseSucceed(() => false)
    ),
    polling: prices.polling,
    routes: [{ carrier: name, callbacks: [status, amd, action, recording], sockets: [relay, stream] }]
  })
})

const answer = (body: string): CarrierRoutes.Answer => ({ status: 200, contentType: "text/xml", body })

const isCallSid = Schema.is(TwilioApi.CallSid)

const isLive = ({ status }: TwilioApi.CallResource): boolean => !isTerminal(status)

const isLiveUnanswered = (call: TwilioApi.CallResource): boolean => isLive(call) && call.status !== "in-progress"

const isUnanswered = ({ CallStatus }: { readonly CallStatus: TwilioApi.CallStatus }): boolean =>
  CallStatus === "initiated" || CallStatus === "ringing"
