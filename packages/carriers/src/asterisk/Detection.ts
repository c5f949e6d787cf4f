/** Tells people from machines while the conversation goes on, on a channel that listens to the call. */
import { Effect } from "effect"
import type * as AriEvents from "./AriEvents.ts"
import { contexts } from "./AsteriskFiles.ts"
import * as Channels from "./Channels.ts"
import * as NodeCall from "./NodeCall.ts"

export const begin = (call: NodeCall.NodeCall, { api, app }: NodeCall.NodeCallOptions): Effect.Effect<void> =>
  NodeCall.attempt(
    call,
    "could not be listened to",
    api.snoop(call.callId, Channels.idOf("amd", call.callId), app)
  )

/** Goes on with what the channel says. */
export const follow = (
  call: NodeCall.NodeCall,
  event: AriEvents.Event,
  options: NodeCall.NodeCallOptions
): Effect.Effect<unknown> => {
  if (event.type !== "StasisStart") return Effect.void
  const { api, app } = options
  const channelId = Channels.idOf("amd", call.callId)
  if (event.args[0] !== "amd") {
    return NodeCall.attempt(call, "could not be listened to", api.continueIn(channelId, contexts.amd, app))
  }
  const by = verdictOf(event.args[1], event.args[2])
  return Effect.andThen(
    by === undefined ? Effect.void : NodeCall.tell(call, options, { _tag: "Verdict", by }),
    Effect.ignore(api.hangUp(channelId))
  )
}

/**
 * None when Asterisk is not sure. Where the phone sends no sound at all, it hears silence and takes it for a machine, which is no more than a
 * guess.
 */
export const verdictOf = (status: string | undefined, cause: string | undefined): "human" | "voicemail" | undefined => {
  if (status === "HUMAN") return "human"
  return status === "MACHINE" && cause?.startsWith("INITIALSILENCE") !== true ? "voicemail" : undefined
}
