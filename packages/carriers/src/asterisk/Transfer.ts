/** Connects the contact of a call with another number, over a second channel in the bridge of the call. */
import type { PhoneNumber } from "@outdial/core"
import { Deferred, Effect, Exit, Latch, Schema } from "effect"
import * as CarrierCall from "../call/CarrierCall.ts"
import type * as AriEvents from "./AriEvents.ts"
import * as Channels from "./Channels.ts"
import { callerVariables } from "./MediaLeg.ts"
import type { NodeCall, NodeCallOptions } from "./NodeCall.ts"

export interface Transfer {
  /** Whether the number has answered, once its channel is gone. */
  readonly talked: Effect.Effect<boolean>
}

/** Asterisk did not take a request for the second channel. */
class TransferFailed extends Schema.TaggedError<TransferFailed>()("TransferFailed", { status: Schema.Int }) {
  override get message(): string {
    return `Asterisk has answered with status ${this.status}`
  }
}

const startedWithin = "3 seconds"

/** Handles the events of the second channel. */
const watch = (call: NodeCall, isUpAlready: boolean) => {
  const started = Latch.makeUnsafe(false)
  const over = Deferred.makeUnsafe<boolean>()
  let isUp = isUpAlready
  call.transferred = (event: AriEvents.Event) => {
    if (event.type === "StasisStart") started.openUnsafe()
    if (event.type === "ChannelStateChange" && event.channel.state === "Up") isUp = true
    if (event.type === "ChannelDestroyed") Deferred.doneUnsafe(over, Exit.succeed(isUp))
  }
  return { started, transfer: { talked: Deferred.await(over) } satisfies Transfer }
}

/** Rings the number. Fails if that cannot be done, and nothing has changed. */
export const start = Effect.fnUntraced(
  function*(call: NodeCall, number: PhoneNumber.PhoneNumber, { api, app, trunk }: NodeCallOptions) {
    const { callId } = call
    const channelId = Channels.idOf("transfer", callId)
    const { started, transfer } = watch(call, false)
    const created = yield* api.create({
      endpoint: trunk.dialString(number),
      app,
      channelId,
      variables: callerVariables("CONNECTEDLINE", call.caller)
    })
    if (created.status !== 200) return yield* new TransferFailed({ status: created.status })
    yield* Effect.timeout(started.await, startedWithin)
    yield* api.addToBridge(Channels.idOf("bridge", callId), [channelId])
    const dialed = yield* api.dial(channelId, CarrierCall.ringSeconds, Effect.void)
    if (dialed.status !== 204) return yield* new TransferFailed({ status: dialed.status })
    return transfer
  },
  (work, call, _, { api }) =>
    Effect.onError(work, () => Effect.ignore(api.hangUp(Channels.idOf("transfer", call.callId))))
)

/** Follows the transfer of a call that another node has begun; none when there is none. */
export const resume = Effect.fnUntraced(function*(call: NodeCall, { api, app }: NodeCallOptions) {
  const channelId = Channels.idOf("transfer", call.callId)
  const found = yield* api.channel(channelId)
  if (found._tag === "None") return undefined
  const { transfer } = watch(call, found.value.state === "Up")
  return (yield* api.subscribe(app, channelId)) ? transfer : undefined
})
