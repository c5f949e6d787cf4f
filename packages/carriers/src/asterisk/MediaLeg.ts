/** The sound of a call: a channel of Asterisk that exchanges it with this process over a WebSocket, which either of the two opens. */
import type { AudioFormat, AudioLine, CarrierRoutes, CarrierTokens } from "@outdial/core"
import { Effect, Latch, Schema, type Scope, Stream } from "effect"
import * as AsteriskMedia from "../audio/AsteriskMedia.ts"
import * as MediaLine from "../audio/MediaLine.ts"
import type { AriApi } from "./AriApi.ts"
import * as Channels from "./Channels.ts"

export interface MediaLeg {
  readonly channelId: string
  readonly format: AudioFormat.AudioFormat
  /** The line of a conversation over it. What was heard before is left out: it is early media, such as a ringback tone. */
  readonly lineOf: (controls: Controls) => Effect.Effect<AudioLine.AudioLine, never, Scope.Scope>
}

/** What the line asks of the call. */
export interface Controls
  extends Pick<MediaLine.MediaLineOptions, "hangUp" | "move" | "onKnown" | "onSound" | "press" | "transfer">
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
  readonly format: AudioFormat.AudioFormat
  readonly socketOf: (call: CarrierTokens.TokenCall) => Effect.Effect<MediaSocket, never, Scope.Scope>
}

/** Asterisk says nothing on the socket, or something else than it should. */
class NoSound extends Schema.TaggedError<NoSound>()("NoSound", {}) {
  override readonly message = "The socket for sound does not begin as that of an Asterisk"
}

const startWithin = "3 seconds"

/** Opens the media channel of a call. It is closed with the scope. */
export const open = Effect.fnUntraced(function*(
  call: CarrierTokens.TokenCall & { readonly caller: Caller },
  { api, app, format, socketOf }: MediaLegOptions
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
  const started = Latch.makeUnsafe(false)
  const lost = Latch.makeUnsafe(false)
  let isStarted = false
  /** What came before there was a line, other than sound. */
  const early: Array<string> = []
  let give: MediaLine.OnMessage = (message) => {
    if (typeof message === "string") early.push(message)
  }
  const receive = (message: string | Uint8Array) => {
    if (isStarted) return give(message)
    const start = AsteriskMedia.start(message)
    isStarted = start?.channelId === channelId && start.format === format
    started.openUnsafe()
  }
  yield* Stream.runForEach(socket.messages, (message) => Effect.sync(() => receive(message))).pipe(
    Effect.ensuring(Effect.sync(() => {
      lost.openUnsafe()
      started.openUnsafe()
    })),
    Effect.forkScoped
  )
  yield* Effect.timeout(started.await, startWithin)
  if (!isStarted) return yield* new NoSound()
  return {
    channelId,
    format,
    lineOf: (controls) =>
      MediaLine.make({
        ...controls,
        dialect: AsteriskMedia.dialect,
        format,
        receive: (on) =>
          Effect.suspend(() => {
            for (const message of early) on(message)
            give = on
            return lost.await
          }),
        send: socket.send,
        close: socket.close()
      })
  }
})
