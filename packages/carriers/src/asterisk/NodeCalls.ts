/**
 * The calls that this node handles: each from its channel to its end, by the events of Asterisk. A call comes here when it is dialed, or
 * when another node gives it away or is gone. Its end is read from its record, and reported until it is stored.
 */
import { type CarrierTokens, Ids } from "@outdial/core"
import { DateTime, Effect, Exit, Option, Schedule, Schema, Scope } from "effect"
import { instantOf } from "../call/CarrierCall.ts"
import * as AnsweredCall from "./AnsweredCall.ts"
import type { AsteriskUnreachable } from "./AriApi.ts"
import * as AriEvents from "./AriEvents.ts"
import * as Channels from "./Channels.ts"
import * as Detection from "./Detection.ts"
import * as EndRecord from "./EndRecord.ts"
import * as NodeCall from "./NodeCall.ts"

export interface NodeCalls {
  readonly has: (callId: Ids.CallId) => boolean
  /** Handles a call that is about to be created. */
  readonly open: (
    call: CarrierTokens.TokenCall & Pick<NodeCall.NodeCall, "caller" | "ringsBy">
  ) => Effect.Effect<NodeCall.NodeCall>
  /** Forgets a call whose phone has not been rung, and ends what there is of it at Asterisk. */
  readonly discard: (call: NodeCall.NodeCall) => Effect.Effect<void>
  /** The same, without waiting for it. */
  readonly abandon: (call: NodeCall.NodeCall) => Effect.Effect<void>
  /** Goes on with what an event says. Does not wait for what it begins. */
  readonly handle: (event: AriEvents.Event) => Effect.Effect<void>
  /** Finds out what became of these calls, whose events are missing. Those that another node has are left to it. */
  readonly review: (
    which: (callId: Ids.CallId) => boolean,
    elsewhere: ReadonlySet<string>
  ) => Effect.Effect<void>
}

export interface NodeCallsOptions extends Omit<AnsweredCall.AnsweredCallOptions, "leave"> {
  /** Whether Asterisk is heard. */
  readonly isConnected: () => boolean
}

/** How long a channel may take to disappear once it was hung up. */
const goneWithin = "2 seconds"

/** How long after the end of a call its record stays: another node may be about to look the call up. */
const recordStays = "10 seconds"

/** How long a channel may be in no application before its node asks where it is. */
const elsewhereAfter = "3 seconds"

/** Asterisk may be about to start again. What it does not say by then, a look-up finds. */
const recordAgain = { times: 20, schedule: Schedule.spaced("500 millis") }

const isAccountId = Schema.is(Ids.AccountId)

export const make = Effect.fnUntraced(function*(options: NodeCallsOptions): Effect.fn.Return<
  NodeCalls,
  never,
  Scope.Scope
> {
  const { api, app, isConnected } = options
  const within = yield* Effect.scope
  const all = new Map<Ids.CallId, NodeCall.NodeCall>()

  /** Of work that may outlast the call at Asterisk. */
  const fork = (work: Effect.Effect<unknown>) => Effect.asVoid(Effect.forkIn(work, within))

  const open: NodeCalls["open"] = Effect.fnUntraced(function*(given) {
    const call = yield* NodeCall.make({ ...given, within })
    all.set(call.callId, call)
    yield* Effect.forkIn(NodeCall.showAlive(call, options, isConnected), call.scope)
    return call
  })

  /** Ends what this node does for the call. */
  const close = (call: NodeCall.NodeCall) =>
    Effect.suspend(() => {
      call.over.openUnsafe()
      return Scope.close(call.scope, Exit.void)
    })

  const forget = ({ callId }: NodeCall.NodeCall) => Effect.sync(() => void all.delete(callId))

  const discard = Effect.fnUntraced(function*(call: NodeCall.NodeCall) {
    yield* NodeCall.attempt(call, "could not be ended at Asterisk, which does so itself", api.hangUp(call.callId))
    if (call.started.isOpen()) yield* Effect.timeoutOption(call.over.await, goneWithin)
    yield* close(call)
    yield* NodeCall.removeRest(call.callId, options)
    // It would be taken for the end of the next attempt.
    yield* Effect.ignore(api.removeRecord(call.callId))
    yield* forget(call)
  })

  /** How the call has ended; none when Asterisk does not say. */
  const endOf = Effect.fnUntraced(function*(call: NodeCall.NodeCall, cause: number | undefined) {
    const record = yield* Effect.retry(api.record(call.callId), recordAgain)
    const now = yield* DateTime.now
    return Option.match(record, {
      onSome: (record) => EndRecord.endOf(record, now),
      onNone: () => EndRecord.endWithout(cause, call.answeredAt, now)
    })
  })

  const end = Effect.fnUntraced(function*(call: NodeCall.NodeCall, cause?: number): Effect.fn.Return<void> {
    if (call.over.isOpen()) return
    yield* close(call)
    // Until the dial is over, it may prove that nothing was sent. Then who has created the call sees to it.
    if (call.isDialed) yield* call.decided.await
    if (!call.isDialed) return
    yield* fork(NodeCall.removeRest(call.callId, options))
    const event = yield* Effect.option(endOf(call, cause))
    if (Option.isSome(event)) {
      yield* Effect.ignore(Effect.retry(options.report(call, call.callId, event.value), NodeCall.untilStored))
      yield* Effect.sleep(recordStays)
      yield* Effect.ignore(api.removeRecord(call.callId))
    }
    yield* forget(call)
  })

  /** Goes on with what the state of the channel says. */
  const follow = (call: NodeCall.NodeCall, channel: AriEvents.Channel) => {
    if (channel.state === "Ringing") return fork(NodeCall.tell(call, options, { _tag: "Ringing" }))
    return channel.state === "Up" && !call.isAnswered ? fork(AnsweredCall.note(call, options)) : Effect.void
  }

  /** Another node has it. */
  const leave = Effect.fnUntraced(function*(call: NodeCall.NodeCall) {
    yield* close(call)
    yield* forget(call)
    // Otherwise others would take it for ours.
    yield* Effect.ignore(api.unsubscribe(app, call.callId))
  })

  /** Finds out what became of a call whose events are missing, or whose channel has left our application. */
  const locate = Effect.fnUntraced(function*(
    call: NodeCall.NodeCall,
    elsewhere: Effect.Effect<boolean, AsteriskUnreachable>
  ) {
    if (call.over.isOpen()) return
    const channel = yield* api.channel(call.callId)
    if (Option.isNone(channel)) return yield* fork(end(call))
    yield* (yield* elsewhere) ? leave(call) : follow(call, channel.value)
  })

  const ofState = Effect.fnUntraced(function*(
    call: NodeCall.NodeCall,
    { channel, changed, timestamp }: {
      readonly channel: AriEvents.Channel
      readonly changed: boolean
      readonly timestamp: string
    }
  ) {
    if (!call.isAnswered && NodeCall.isLate(call, instantOf(timestamp))) {
      yield* Effect.logWarning(`${call.callId} rings too late, and is hung up`)
      return yield* fork(NodeCall.hangUp(call, options))
    }
    // The state comes again with each step of the dial.
    if (changed) yield* follow(call, channel)
  })

  const ofCallee = (call: NodeCall.NodeCall, event: AriEvents.CallEvent): Effect.Effect<void> => {
    switch (event.type) {
      case "StasisStart":
        call.started.openUnsafe()
        if (event.args[0] === "answered") {
          return fork(AnsweredCall.hold(call, { ...options, leave }, { takesOver: false }))
        }
        call.startedAt = instantOf(event.timestamp)?.epochMilliseconds ?? 0
        return Effect.void
      case "StasisEnd":
        call.started.closeUnsafe()
        return fork(Effect.ignore(Effect.delay(
          locate(call, Effect.sync(() => !call.started.isOpen())),
          elsewhereAfter
        )))
      case "Dial":
      case "ChannelStateChange":
        call.sent.openUnsafe()
        return ofState(call, {
          channel: AriEvents.channelOf(event),
          changed: event.type === "ChannelStateChange",
          timestamp: event.timestamp
        })
      case "ChannelDestroyed":
        return fork(end(call, event.cause))
      default:
        return event satisfies never
    }
  }

  /** A channel that was created after its call was given back: Asterisk, or the network, has stood still. */
  const remove = Effect.fnUntraced(function*(callId: Ids.CallId) {
    yield* Effect.ignore(api.hangUp(callId))
    yield* Effect.sleep(goneWithin)
    if (!all.has(callId)) yield* Effect.ignore(api.removeRecord(callId))
  })

  /** A call that another node had. */
  const adopt = Effect.fnUntraced(function*(callId: Ids.CallId, channel: AriEvents.Channel) {
    const accountId = channel.channelvars?.[AriEvents.accountVariable]
    if (!isAccountId(accountId)) return
    const call = yield* open({ accountId, callId, ringsBy: Infinity, caller: { number: undefined, name: undefined } })
    call.isDialed = true
    call.decided.openUnsafe()
    call.started.openUnsafe()
    yield* Effect.logInfo(`${callId} has come here from another node`)
    // It may have been answered while nobody listened.
    const record = yield* Effect.option(api.record(callId))
    const isNoted = channel.state === "Up" && Option.isSome(Option.flatten(record))
    if (isNoted) return yield* fork(AnsweredCall.hold(call, { ...options, leave }, { takesOver: true }))
    // The other node may only stand still, and have its sound open: ours could not be opened beside it.
    yield* Effect.ignore(NodeCall.takeMedia(call, options))
    yield* follow(call, channel)
  })

  return {
    has: (callId) => all.has(callId),
    open,
    discard,
    abandon: (call) => fork(discard(call)),
    handle: (event) => {
      if (event.type === "ChannelUserevent") return Effect.void
      const channel = AriEvents.channelOf(event)
      const subject = Channels.subjectOf(channel.id)
      if (subject === undefined) return Effect.void
      const call = all.get(subject.callId)
      if (call === undefined) {
        if (subject.kind !== "callee" || event.type !== "StasisStart") return Effect.void
        return fork(event.args[0] === AriEvents.moved ? adopt(subject.callId, channel) : remove(subject.callId))
      }
      switch (subject.kind) {
        case "callee":
          return ofCallee(call, event)
        case "amd":
          return fork(Detection.follow(call, event, options))
        case "transfer":
          return Effect.sync(() => call.transferred?.(event))
        case "media":
          // A phone that is answered later would hear nothing. A call that has left our application is another node's, which has taken its sound.
          return event.type === "ChannelDestroyed" && call.media?.leg.channelId === channel.id && !call.isAnswered &&
              call.started.isOpen()
            ? fork(NodeCall.hangUp(call, options))
            : Effect.void
        case "bridge":
          return Effect.void
        default:
          return subject.kind satisfies never
      }
    },
    review: (which, elsewhere) =>
      Effect.suspend(() =>
        Effect.forEach(
          [...all.values()].filter(({ callId, isDialed, over }) => isDialed && !over.isOpen() && which(callId)),
          (call) => Effect.ignore(locate(call, Effect.succeed(elsewhere.has(call.callId)))),
          { discard: true }
        )
      )
  }
})
