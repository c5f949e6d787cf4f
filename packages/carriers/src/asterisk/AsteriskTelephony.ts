/**
 * Calls over an Asterisk of your own and its SIP trunk, through ARI. Progress comes on one event socket per process; how a call has ended is
 * kept by Asterisk until it is on record here, so that no end is lost with a process or a socket.
 */
import { type AudioFormat, CarrierTokens, Conversations, Ids, LineReports, Recordings, Telephony } from "@outdial/core"
import { Cause, DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { FetchHttpClient } from "effect/http"
import * as CarrierCall from "../call/CarrierCall.ts"
import { announced } from "../call/CarrierRecording.ts"
import * as AriApi from "./AriApi.ts"
import * as Channels from "./Channels.ts"
import * as Dial from "./Dial.ts"
import * as EndRecord from "./EndRecord.ts"
import * as EventSocket from "./EventSocket.ts"
import * as MediaLeg from "./MediaLeg.ts"
import * as MediaSockets from "./MediaSockets.ts"
import type * as NodeCall from "./NodeCall.ts"
import * as NodeCalls from "./NodeCalls.ts"
import * as Nodes from "./Nodes.ts"
import * as Reconciliation from "./Reconciliation.ts"

export interface AsteriskOptions extends AriApi.AriOptions {
  /** Where calls go out, with `{number}` for the number, such as `PJSIP/{number}@trunk`; `{digits}` is the number without its plus. */
  readonly endpoint: string
  /** Names this Asterisk, or this trunk of it, among several carriers. Default: `asterisk`. */
  readonly name?: string | undefined
  /**
   * Where Asterisk reaches this process for sound, `ws://…`, with the base path and without a slash at the end. Asterisk's
   * `websocket_client.conf` must have an entry for it (`mediaClientOf`). Default: this process connects to Asterisk.
   */
  readonly mediaUrl?: string | undefined
  /**
   * The sound that is exchanged with Asterisk: `mulaw` or `alaw`, which most trunks have, so that Asterisk converts nothing; or samples of 16 bits
   * at 16 kHz, of which it makes what the trunk has. Default: `pcm16`.
   */
  readonly format?: AudioFormat.AudioFormat | undefined
  /** As many as the provider allows per second. Default: 1. */
  readonly callsPerSecond?: number | undefined
  /** As many calls at once as the provider allows, of all processes together. Default: without a limit. */
  readonly channels?: number | undefined
  /** Whether Asterisk tells people from machines, by words and pauses alone: it is wrong now and then. Default: false. */
  readonly detectsMachines?: boolean | undefined
  /**
   * Whether calls are recorded here until they end or are transferred, in two channels: `own`. Where a contact must consent to it, let the
   * agent's `disclosure` say so. Default: `off`.
   */
  readonly recording?: "off" | "own" | undefined
}

export const carrier: Ids.CarrierName = Ids.CarrierName.make("asterisk")

/** The name of the endpoint in a template of dial strings, such as `trunk`; none when the template cannot be read. */
export const endpointOf = (template: string): string | undefined => Channels.trunkOf(template)?.resource

/** The entry of Asterisk's `websocket_client.conf` for a `mediaUrl`. */
export const mediaClientOf = (mediaUrl: string, name: string = carrier) =>
  MediaSockets.clientOf(mediaUrl, CarrierCall.carrierName(name))

/** A request that has not reached Asterisk within its time is given up after 3 seconds, and Asterisk gives a channel up after 50. */
const notFoundLag = Duration.minutes(1)

const reconcileEvery = "5 seconds"

/** A hang-up is safe to repeat. */
const hangUpAgain = { times: 3, schedule: Schedule.exponential("200 millis") }

/** How long the channel of a call that was hung up may take to disappear. */
const goneAgain = { times: 50, schedule: Schedule.spaced("20 millis") }

export const layer = (
  options: AsteriskOptions
): Layer.Layer<Telephony.Telephony, Cause.UnknownError, Telephony.CarrierServices> =>
  Layer.effect(Telephony.Telephony, make(options)).pipe(
    Layer.provide([FetchHttpClient.layer, SecureRandom.layerWebCrypto])
  )

const make = Effect.fnUntraced(function*(options: AsteriskOptions) {
  const {
    callsPerSecond = 1,
    channels,
    detectsMachines = false,
    endpoint,
    format = "pcm16",
    mediaUrl,
    recording = "off"
  } = options
  const name = CarrierCall.carrierName(options.name ?? carrier)
  const recordings = yield* Recordings.Recordings
  const reports = yield* LineReports.LineReports
  const conversations = yield* Conversations.Conversations
  const random = yield* SecureRandom.SecureRandom
  const trunk = Channels.trunkOf(endpoint)
  if (trunk === undefined) {
    return yield* new Cause.UnknownError(undefined, "The endpoint of Asterisk must be such as PJSIP/{number}@trunk")
  }
  if (conversations.takesSound === false) {
    return yield* new Cause.UnknownError(undefined, "Lines of Asterisk exchange sound: give a voiceAgent, too")
  }
  const api = yield* AriApi.make(options)
  const appPrefix = Channels.appPrefixOf(name)
  const app = appPrefix + Hex.encode(yield* Effect.orDie(random.randomBytes(8)))

  const end = (callId: Ids.CallId) =>
    api.hangUp(callId).pipe(
      Effect.retry(hangUpAgain),
      Effect.andThen(Effect.repeat(api.channel(callId), { ...goneAgain, until: Option.isNone })),
      Effect.asVoid,
      Effect.catch((error) => Effect.logWarning(`${callId} could not be hung up at Asterisk`, error))
    )
  const reported = CarrierCall.reporter(reports, end)
  const report: CarrierCall.Report = (call, id, event) =>
    reported(call, id, event._tag === "Ended" ? announced(recording, event) : event)

  const nodes = Nodes.make({ api, app, appPrefix })
  const listening = mediaUrl === undefined
    ? undefined
    : MediaSockets.listening({ carrier: name, mediaUrl, tokens: yield* CarrierTokens.CarrierTokens })
  const socketOf = listening?.socketOf ?? MediaSockets.connecting(options.ariUrl)
  let state: () => EventSocket.EventSocketState = () => "closed"
  const isConnected = () => state() === "open"
  const ofCall = {
    api,
    app,
    report,
    trunk,
    openMedia: (call: NodeCall.NodeCall) => MediaLeg.open(call, { api, app, format, socketOf })
  }
  const calls = yield* NodeCalls.make({
    ...ofCall,
    conversations,
    detectsMachines,
    ...(recording === "own" && { recording: { recordings, reports } }),
    isConnected,
    other: Effect.sync(() => Option.fromUndefinedOr(nodes.others()[0]))
  })
  const reconciliation = Reconciliation.make({ api, app, calls, nodes, report, reports })
  const logged = (work: Effect.Effect<unknown, unknown>) =>
    Effect.catchCause(work, (cause) => Effect.logWarning("Asterisk could not be asked for its calls", cause))
  state = yield* EventSocket.make({
    ...options,
    api,
    app,
    handle: calls.handle,
    opened: Effect.asVoid(logged(reconciliation.catchUp))
  })
  yield* Effect.suspend(() => isConnected() ? logged(reconciliation.runOnce) : Effect.void).pipe(
    Effect.delay(reconcileEvery),
    Effect.forever,
    Effect.forkScoped
  )

  const dial = Dial.make({ ...ofCall, calls, channels, state: () => state() })

  const lookUp = Effect.fnUntraced(
    function*({ callId, submittedAt }: Telephony.PlacedCall): Effect.fn.Return<
      Telephony.CarrierView,
      AriApi.AsteriskUnreachable
    > {
      // In this order there is no gap: the record is written before the channel disappears.
      if (Option.isSome(yield* api.channel(callId))) {
        // The node that handles it has been silent for long.
        if (!calls.has(callId) && isConnected()) yield* reconciliation.adopt(callId)
        return { _tag: "Live" }
      }
      const record = Option.getOrUndefined(yield* api.record(callId))
      return record === undefined || Reconciliation.isOfEarlier(record, submittedAt)
        ? { _tag: "NotFound" }
        : { _tag: "Ended", event: announced(recording, EndRecord.endOf(record, yield* DateTime.now)) }
    }
  )

  return Telephony.Telephony.of({
    name,
    dial: Effect.fn("AsteriskTelephony.dial")(function*(request) {
      return Ids.CarrierCallId.make(yield* dial(request))
    }),
    lookUp: Effect.fn("AsteriskTelephony.lookUp")((call) => CarrierCall.viewed("Asterisk", call, lookUp(call))),
    hangUp: Effect.fn("AsteriskTelephony.hangUp")(({ callId }) => end(callId)),
    notFoundLag,
    callsPerSecond,
    check: api.version.pipe(
      Effect.as(true),
      Effect.tapError((error) => Effect.logWarning("Asterisk does not answer a check of the user", error)),
      Effect.orElseSucceed(() => false)
    ),
    ...(listening !== undefined && { routes: [{ carrier: name, callbacks: [], sockets: [listening.route] }] })
  })
})
