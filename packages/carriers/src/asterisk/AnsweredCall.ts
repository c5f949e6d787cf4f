/** A call from its answer to the end of its conversation. */
import type { Conversations, PhoneNumber } from "@outdial/core"
import { DateTime, Effect, Exit, Option } from "effect"
import * as CallRecorder from "../audio/CallRecorder.ts"
import { contexts } from "./AsteriskFiles.ts"
import * as Detection from "./Detection.ts"
import * as EndRecord from "./EndRecord.ts"
import type { Controls, MediaLeg } from "./MediaLeg.ts"
import * as NodeCall from "./NodeCall.ts"
import * as Transfer from "./Transfer.ts"

export interface AnsweredCallOptions extends NodeCall.NodeCallOptions {
  /** Has this node do nothing more for a call that another one has. */
  readonly leave: (call: NodeCall.NodeCall) => Effect.Effect<void>
  readonly conversations: Conversations.Conversations["Service"]
  /** Whether Asterisk tells people from machines. */
  readonly detectsMachines: boolean
  /** The application of another node that lives; none when there is no other. */
  readonly other: Effect.Effect<Option.Option<string>, unknown>
  /** Records calls. Default: they are not recorded. */
  readonly recording?: Pick<CallRecorder.CallRecorderOptions, "recordings" | "reports">
}

/** Sends a call that has just been answered through the dialplan, which notes the answer. It comes back as `StasisStart` with `answered`. */
export const note = (call: NodeCall.NodeCall, { api, app }: NodeCall.NodeCallOptions): Effect.Effect<void> =>
  NodeCall.attempt(call, "could not be sent through the dialplan", api.continueIn(call.callId, contexts.answered, app))

/** Holds the conversation of a call that the dialplan has noted as answered, to its end. */
export const hold = Effect.fnUntraced(function*(
  call: NodeCall.NodeCall,
  options: AnsweredCallOptions,
  { takesOver }: { readonly takesOver: boolean }
) {
  if (call.isAnswered) return
  call.isAnswered = true
  const { api } = options
  const record = Option.getOrUndefined(Option.flatten(yield* Effect.option(api.record(call.callId))))
  const at = (record === undefined ? undefined : EndRecord.answeredAtOf(record)) ?? (yield* DateTime.now)
  call.answeredAt = at
  // What another node has begun goes on without us.
  const running = takesOver ? yield* Effect.orElseSucceed(Transfer.resume(call, options), () => undefined) : undefined
  if (takesOver && running === undefined) yield* Effect.ignore(NodeCall.takeMedia(call, options))
  const [goesOn, leg] = yield* Effect.all([
    NodeCall.tell(call, options, { _tag: "Answered", at, by: "unknown" }),
    running === undefined ? Effect.exit(NodeCall.connect(call, options)) : Effect.succeed(Exit.succeed(undefined))
  ], { concurrency: "unbounded" })
  if (!goesOn) return
  if (Exit.isFailure(leg)) {
    // It was hung up meanwhile.
    if (Option.isNone(yield* Effect.orElseSucceed(api.channel(call.callId), Option.none))) return
    yield* Effect.logWarning(`${call.callId} has no sound, and is hung up`, leg.cause)
    return yield* NodeCall.hangUp(call, options)
  }
  if (options.detectsMachines && !takesOver) yield* Effect.forkIn(Detection.begin(call, options), call.scope)
  if (leg.value !== undefined) yield* converse(call, leg.value, options, { takesOver, isRecorded: true })
  else if (running !== undefined) yield* afterTransfer(call, running, options)
})

const converse = Effect.fnUntraced(function*(
  call: NodeCall.NodeCall,
  leg: MediaLeg,
  options: AnsweredCallOptions,
  { isRecorded, takesOver }: { readonly isRecorded: boolean; readonly takesOver: boolean }
): Effect.fn.Return<void> {
  const { accountId, callId } = call
  let transfer: Transfer.Transfer | undefined
  let isMoved = false
  const controls: Controls = {
    press: (digits) => NodeCall.attempt(call, "could not be sent digits", options.api.press(callId, digits)),
    hangUp: NodeCall.hangUp(call, options),
    move: Effect.map(Effect.orElseSucceed(moved(call, options), () => false), (moves) => {
      isMoved ||= moves
      return moves
    }),
    transfer: (number: PhoneNumber.PhoneNumber) =>
      Transfer.start(call, number, options).pipe(
        Effect.map((started) => {
          transfer = started
          return true
        }),
        Effect.catchCause((cause) => Effect.as(Effect.logWarning(`${callId} could not be transferred`, cause), false))
      )
  }
  const hangUp = Effect.suspend(() =>
    transfer !== undefined || isMoved || call.over.isOpen() ? Effect.void : NodeCall.hangUp(call, options)
  )
  const held = yield* Effect.scoped(Effect.gen(function*() {
    const recorder = options.recording === undefined || !isRecorded
      ? undefined
      : yield* CallRecorder.make({ ...options.recording, call: { accountId, callId }, format: leg.format })
    const line = yield* leg.lineOf({ ...controls, ...recorder?.listener })
    return yield* options.conversations.hold({ accountId, callId, takesOver, line }).pipe(
      // The node that has the line now records the rest.
      Effect.onExit((exit) =>
        recorder === undefined || isMoved || Exit.isSuccess(exit) && exit.value !== "over"
          ? Effect.void
          // The phone does not wait for the storage.
          : Effect.andThen(Exit.isSuccess(exit) ? hangUp : Effect.void, recorder.finish)
      )
    )
  }))
  if (transfer !== undefined) return yield* afterTransfer(call, transfer, options)
  if (isMoved) return yield* options.leave(call)
  // Another node may have it, which is seen when its channel leaves our application.
  if (held !== "taken_over") yield* hangUp
})

/** Ends the call with the one that it was transferred to, or goes on with the conversation if nobody has answered there. */
const afterTransfer = Effect.fnUntraced(function*(
  call: NodeCall.NodeCall,
  transfer: Transfer.Transfer,
  options: AnsweredCallOptions
): Effect.fn.Return<void> {
  yield* NodeCall.closeMedia(call)
  const talked = yield* Effect.raceFirst(transfer.talked, Effect.as(call.over.await, true))
  if (call.over.isOpen()) return
  const leg = talked ? Exit.succeed(undefined) : yield* Effect.exit(NodeCall.connect(call, options))
  if (Exit.isSuccess(leg) && leg.value !== undefined) {
    // Its recording has ended with the transfer: who was called has heard no disclosure.
    return yield* converse(call, leg.value, options, { takesOver: true, isRecorded: false })
  }
  yield* NodeCall.hangUp(call, options)
})

/** Gives the call to another node. Returns whether there is one. */
const moved = Effect.fnUntraced(function*({ callId }: NodeCall.NodeCall, { api, other }: AnsweredCallOptions) {
  const app = yield* other
  if (Option.isNone(app) || !(yield* api.subscribe(app.value, callId))) return false
  return Option.isSome(yield* api.move(callId, app.value))
})
