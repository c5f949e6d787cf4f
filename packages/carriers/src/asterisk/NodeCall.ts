/** A call of this node at Asterisk, and what is done with it before and after its conversation. */
import { type CarrierEvent, type CarrierTokens, type Ids, Limits } from "@outdial/core"
import { type DateTime, Effect, Exit, Latch, Option, Schedule, Scope } from "effect"
import type { Report } from "../call/CarrierCall.ts"
import type { AriApi } from "./AriApi.ts"
import type * as AriEvents from "./AriEvents.ts"
import * as Channels from "./Channels.ts"
import type { Caller, MediaLeg } from "./MediaLeg.ts"

export interface NodeCall extends CarrierTokens.TokenCall {
  /** Its phone may not begin to ring later. In epoch milliseconds, by our clock. */
  readonly ringsBy: number
  readonly caller: Caller
  /** Ends with the call at Asterisk. */
  readonly scope: Scope.Closeable
  /** Its channel is in the application: it can be dialed. */
  readonly started: Latch.Latch
  /** Asterisk has sent the request to its phone. */
  readonly sent: Latch.Latch
  /** The dial is over: whether its phone may ring is known. */
  readonly decided: Latch.Latch
  /** Its channel is gone. */
  readonly over: Latch.Latch
  /** When its channel was created, by our clock and by Asterisk's, in epoch milliseconds. */
  createdAt: number
  startedAt: number
  /** Its phone may ring: it is not to be forgotten without an end. */
  isDialed: boolean
  isAnswered: boolean
  answeredAt: DateTime.Utc | undefined
  media: { readonly leg: MediaLeg; readonly scope: Scope.Closeable } | undefined
  /** Handles the events of the channel that it is transferred to. */
  transferred: ((event: AriEvents.Event) => void) | undefined
}

export interface NodeCallOptions {
  readonly api: AriApi
  /** The application of this node. */
  readonly app: string
  /** Opens the sound of a call, for the life of the scope. */
  readonly openMedia: (call: NodeCall) => Effect.Effect<MediaLeg, unknown, Scope.Scope>
  readonly report: Report
  readonly trunk: Channels.Trunk
}

export const make = Effect.fnUntraced(function*(
  { accountId, callId, caller, ringsBy, within }: Pick<NodeCall, "accountId" | "callId" | "caller" | "ringsBy"> & {
    /** The scope of the node. */
    readonly within: Scope.Scope
  }
) {
  const call: NodeCall = {
    accountId,
    callId,
    ringsBy,
    caller,
    scope: yield* Scope.fork(within),
    started: Latch.makeUnsafe(false),
    sent: Latch.makeUnsafe(false),
    decided: Latch.makeUnsafe(false),
    over: Latch.makeUnsafe(false),
    createdAt: 0,
    startedAt: 0,
    isDialed: false,
    isAnswered: false,
    answeredAt: undefined,
    media: undefined,
    transferred: undefined
  }
  return call
})

/** Does the work, whose failure is no reason to stop. */
export const attempt = <A, E>({ callId }: NodeCall, what: string, work: Effect.Effect<A, E>): Effect.Effect<void> =>
  Effect.catchCause(Effect.asVoid(work), (cause) => Effect.logWarning(`${callId} ${what}`, cause))

/** Ends the channel of its callee. */
export const hangUp = (call: NodeCall, { api }: Pick<NodeCallOptions, "api">): Effect.Effect<void> =>
  attempt(call, "could not be hung up at Asterisk", Effect.retry(api.hangUp(call.callId), { times: 2 }))

/** A report that storage has not taken is sent again, for as long as the call or the process lives. */
export const untilStored = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])

/** Reports what happens, now or when storage is back. Returns whether the call goes on, as far as is known. */
export const tell = (
  call: NodeCall,
  { report }: Pick<NodeCallOptions, "report">,
  event: CarrierEvent.CarrierEvent
): Effect.Effect<boolean> => {
  const send = report(call, call.callId, event)
  return Effect.catch(
    send,
    () => Effect.as(Effect.forkIn(Effect.ignore(Effect.retry(send, untilStored)), call.scope), true)
  )
}

/** Renews the lease of the call for as long as Asterisk is heard. */
export const showAlive = (call: NodeCall, options: NodeCallOptions, isConnected: () => boolean): Effect.Effect<never> =>
  Effect.suspend(() =>
    call.isDialed && isConnected()
      ? Effect.ignore(options.report(call, call.callId, { _tag: "Alive" }))
      : Effect.void
  ).pipe(Effect.delay(Limits.aliveEvery), Effect.forever)

/** How long a channel may take to disappear. */
const goneAgain = { times: 40, schedule: Schedule.spaced("50 millis") }

/** Ends the sound of a call that another node had: that node may only stand still, and have it open. */
export const takeMedia = Effect.fnUntraced(function*({ callId }: NodeCall, { api }: Pick<NodeCallOptions, "api">) {
  const channelId = Channels.idOf("media", callId)
  yield* api.hangUp(channelId)
  yield* Effect.repeat(api.channel(channelId), { ...goneAgain, until: Option.isNone })
})

/** Opens the sound of the call, and connects its phone with it: also before the answer, so that no first word is lost. */
export const connect = Effect.fnUntraced(function*(call: NodeCall, { api, openMedia }: NodeCallOptions) {
  const bridgeId = Channels.idOf("bridge", call.callId)
  if (call.media === undefined) {
    const scope = yield* Scope.fork(call.scope)
    call.media = { leg: yield* Scope.provide(openMedia(call), scope), scope }
  }
  const { leg } = call.media
  yield* api.bridge(bridgeId)
  yield* api.addToBridge(bridgeId, [call.callId, leg.channelId])
  return leg
})

/** Ends the sound of the call, which lives on. */
export const closeMedia = (call: NodeCall): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { media } = call
    call.media = undefined
    return media === undefined ? Effect.void : Scope.close(media.scope, Exit.void)
  })

/** Ends what a call has beside its phone. */
export const removeRest = (callId: Ids.CallId, { api }: Pick<NodeCallOptions, "api">): Effect.Effect<void> =>
  Effect.forEach(
    [
      api.hangUp(Channels.idOf("media", callId)),
      api.hangUp(Channels.idOf("amd", callId)),
      api.hangUp(Channels.idOf("transfer", callId)),
      api.removeBridge(Channels.idOf("bridge", callId))
    ],
    (removal) => Effect.ignore(removal),
    { discard: true }
  )

/** Whether the phone of the call begins to ring too late, by the time of an event of Asterisk: the process, or Asterisk, has stood still. */
export const isLate = ({ createdAt, ringsBy, startedAt }: NodeCall, at: DateTime.Utc | undefined): boolean =>
  at !== undefined && startedAt > 0 && createdAt + (at.epochMilliseconds - startedAt) > ringsBy
