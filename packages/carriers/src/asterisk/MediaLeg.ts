/** The sound of a call: a channel of Asterisk that exchanges it with this process over a WebSocket, which either of the two opens. */
import type { AudioLine, CarrierRoutes, CarrierTokens } from "@outdial/core"
import { type Cause, Effect, Latch, Queue, Schema, type Scope, Stream } from "effect"
import * as AsteriskMedia from "../audio/AsteriskMedia.ts"
import * as MediaLine from "../audio/MediaLine.ts"
import type { AriApi } from "./AriApi.ts"
import * as Channels from "./Channels.ts"

export interface MediaLeg {
  readonly channelId: string
  /** The line of a conversation over it. What was heard before is left out: it is early media, such as a ringback tone. */
  readonly lineOf: (controls: Controls) => Effect.Effect<AudioLine.AudioLine, never, Scope.Scope>
}

/** What the line asks of the call. */
export interface Controls
  extends Pick<MediaLine.MediaLineOptions, "hangUp" | "move" | "onSound" | "press" | "transfer">
{}

/** Who calls, as the phone shows it. */
export interface Caller {
  readonly number: string | undefined
  readonly name: string | undefined
}

/** The variables of a channel that show it: its own (`CALLERID`), or what its other end sees (`CONNECTEDLINE`). */
export const callerVariables = (
  of: "CALLERID" | "CONNECTEDLINE",
  { name, number }: Caller
): Readonly<Record<string, string>> => ({
  ...(number !== undefined && { [`${of}(num)`]: number }),
  // The name without a number would be shown as that of the PBX.
  ...(number !== undefined && name !== undefined && { [`${of}(name)`]: name.replaceAll(/[^\p{L}\p{N} .-]/gu, "") })
})

/** How the socket of a media channel is opened. */
export interface MediaSocket {
  /** Its settings, sent to Asterisk with the channel. */
  readonly channel: Readonly<Record<string, string>>
  /** The socket, once the channel is made. Asterisk has given it these variables. */
  readonly open: (
    variables: Readonly<Record<string, string>>
  ) => Effect.Effect<CarrierRoutes.Socket, unknown, Scope.Scope>
}

export interface MediaLegOptions {
  readonly api: AriApi
  readonly app: string
  readonly socketOf: (call: CarrierTokens.TokenCall) => Effect.Effect<MediaSocket, never, Scope.Scope>
}

/** Asterisk says nothing on the socket, or something else than it should. */
class NoSound extends Schema.TaggedError<NoSound>()("NoSound", {}) {
  override readonly message = "The socket for sound does not begin as that of an Asterisk"
}

/** Wideband: Asterisk makes what the trunk wants of it. */
export const format = "pcm16"

const startWithin = "3 seconds"

/** Opens the media channel of a call. It is closed with the scope. */
export const open = Effect.fnUntraced(function*(
  call: CarrierTokens.TokenCall & { readonly caller: Caller },
  { api, app, socketOf }: MediaLegOptions
): Effect.fn.Return<MediaLeg, unknown, Scope.Scope> {
  const channelId = Channels.idOf("media", call.callId)
  const { channel, open } = yield* socketOf(call)
  yield* Effect.addFinalizer(() => Effect.ignore(api.hangUp(channelId)))
  const socket = yield* open(
    yield* api.externalMedia({
      app,
      channelId,
      transport: "websocket",
      encapsulation: "none",
      format: AsteriskMedia.formatName(format),
      // The phone shows whom it is bridged with when it is rung.
      variables: callerVariables("CALLERID", call.caller),
      ...channel
    })
  )
  const messages = yield* Queue.unbounded<string | Uint8Array, Cause.Done>()
  const started = Latch.makeUnsafe(false)
  let isHeard = false
  let isStarted = false
  const receive = (message: string | Uint8Array) => {
    if (!isStarted) {
      const start = AsteriskMedia.start(message)
      isStarted = start?.channelId === channelId && start.format === format
      started.openUnsafe()
    } else if (isHeard || typeof message === "string") Queue.offerUnsafe(messages, message)
  }
  yield* Stream.runForEach(socket.messages, (message) => Effect.sync(() => receive(message))).pipe(
    Effect.ensuring(Effect.sync(() => {
      Queue.endUnsafe(messages)
      started.openUnsafe()
    })),
    Effect.forkScoped
  )
  yield* Effect.timeout(started.await, startWithin)
  if (!isStarted) return yield* new NoSound()
  return {
    channelId,
    lineOf: (controls) =>
      Effect.suspend(() => {
        isHeard = true
        return MediaLine.make({
          ...controls,
          dialect: AsteriskMedia.dialect,
          format,
          messages: Stream.fromQueue(messages),
          send: socket.send,
          close: socket.close()
        })
      })
  }
})
