/**
 * The two ways to a socket for sound: this process connects to Asterisk, or Asterisk connects to this process. The first needs nothing of
 * the network that ARI does not need already.
 */
import { CarrierRoutes, type CarrierTokens, type Ids } from "@outdial/core"
import { type Cause, DateTime, Deferred, Effect, Latch, Option, Queue, Schema, Stream } from "effect"
import { forbidden } from "../call/CarrierCall.ts"
import type { MediaLegOptions, MediaSocket } from "./MediaLeg.ts"

class NotConnected extends Schema.TaggedError<NotConnected>()("NotConnected", {}) {
  override readonly message = "No socket for sound could be opened"
}

const openWithin = "3 seconds"

/** Asterisk's address for the sound of a channel, beside its REST interface. It asks for no credentials: the id is the secret. */
const addressOf = (ariUrl: string, id: string): string =>
  `${ariUrl.replace(/^http/, "ws").replace(/\/ari$/, "")}/media/${encodeURIComponent(id)}`

/** This process connects to Asterisk. */
export const connecting = (ariUrl: string): MediaLegOptions["socketOf"] => () =>
  Effect.succeed({
    channel: { external_host: "INCOMING", connection_type: "server" },
    open: ({ MEDIA_WEBSOCKET_CONNECTION_ID: id }) =>
      id === undefined ? new NotConnected() : connect(addressOf(ariUrl, id))
  })

const connect = Effect.fnUntraced(function*(url: string) {
  const messages = yield* Queue.unbounded<string | Uint8Array, Cause.Done>()
  const ready = Latch.makeUnsafe(false)
  const webSocket = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocket(url, "media")),
    (webSocket) => Effect.sync(() => webSocket.close())
  )
  webSocket.binaryType = "arraybuffer"
  webSocket.addEventListener("open", () => ready.openUnsafe())
  webSocket.addEventListener("message", ({ data }) => {
    Queue.offerUnsafe(messages, data instanceof ArrayBuffer ? new Uint8Array(data) : String(data))
  })
  const close = () => {
    Queue.endUnsafe(messages)
    ready.openUnsafe()
  }
  webSocket.addEventListener("close", close)
  webSocket.addEventListener("error", close)
  yield* Effect.timeout(ready.await, openWithin)
  if (webSocket.readyState !== WebSocket.OPEN) return yield* new NotConnected()
  const socket: CarrierRoutes.Socket = {
    messages: Stream.fromQueue(messages),
    send: (message) =>
      Effect.sync(() => {
        if (webSocket.readyState === WebSocket.OPEN) webSocket.send(message)
      }),
    close: (code) => Effect.sync(() => webSocket.close(code))
  }
  return socket
})

const purpose = "asterisk media"

const path = "/media"

/** Longer than a phone rings and Asterisk tries to connect. */
const tokenLife = "2 minutes"

/** The entry of `websocket_client.conf` for an address: its name, and where Asterisk connects. */
export const clientOf = (
  mediaUrl: string,
  carrier: Ids.CarrierName
): { readonly name: string; readonly url: string } => ({
  name: `outdial-${mediaUrl.replace(/^wss?:\/\//, "").replaceAll(/[^A-Za-z0-9]+/g, "-")}`,
  url: `${mediaUrl}/carriers/${encodeURIComponent(carrier)}${path}`
})

/** Asterisk connects to this process. The socket must come to the process that has asked for it. */
export const listening = (
  { carrier, mediaUrl, tokens }: {
    readonly carrier: Ids.CarrierName
    readonly mediaUrl: string
    readonly tokens: CarrierTokens.CarrierTokens["Service"]
  }
) => {
  /** The calls whose socket is awaited. */
  const awaited = new Map<Ids.CallId, Deferred.Deferred<CarrierRoutes.Socket>>()

  const socketOf: MediaLegOptions["socketOf"] = Effect.fnUntraced(function*(call: CarrierTokens.TokenCall) {
    const coming = Deferred.makeUnsafe<CarrierRoutes.Socket>()
    awaited.set(call.callId, coming)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (awaited.get(call.callId) === coming) awaited.delete(call.callId)
      })
    )
    const expiresAt = DateTime.addDuration(yield* DateTime.now, tokenLife)
    const token = yield* tokens.make({ ...call, purpose, expiresAt })
    return {
      channel: {
        external_host: clientOf(mediaUrl, carrier).name,
        connection_type: "client",
        transport_data: `v(token=${token})`
      },
      open: () => Effect.timeout(Deferred.await(coming), openWithin)
    } satisfies MediaSocket
  })

  const route: CarrierRoutes.SocketRoute = {
    path,
    accept: Effect.fnUntraced(function*({ url }: CarrierRoutes.Handshake) {
      const token = new URLSearchParams(url.split("?")[1] ?? "").get("token") ?? ""
      const call = yield* tokens.check(token, purpose)
      const coming = Option.isSome(call) ? awaited.get(call.value.callId) : undefined
      if (coming === undefined || Option.isNone(call)) return yield* forbidden
      awaited.delete(call.value.callId)
      return Effect.fnUntraced(function*(socket: CarrierRoutes.Socket) {
        const closed = Latch.makeUnsafe(false)
        const messages = Stream.ensuring(socket.messages, Effect.sync(() => closed.openUnsafe()))
        yield* Deferred.succeed(coming, { ...socket, messages })
        yield* closed.await
      })
    })
  }
  return { socketOf, route }
}
