/**
 * The HTTP callbacks and WebSockets that a carrier brings. Whatever serves `/v1` serves them, below `/carriers/NAME` of the same base
 * path and without an API key: each route checks the carrier's signature and our own token before it changes anything.
 */
import { type Effect, Schema, type Stream } from "effect"
import type { CarrierName } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** The opening request of a WebSocket. */
export interface Handshake {
  /**
   * The path and query below the base path, exactly as received: `/carriers/NAME/…`. Signatures are checked against the configured public
   * URL followed by it, never against `Host`.
   */
  readonly url: string
  /** The segments of the path behind the route's, decoded: a token, for example. */
  readonly rest: ReadonlyArray<string>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A callback of the carrier. */
export interface Request extends Handshake {
  readonly method: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** The response to a callback. */
export interface Answer {
  readonly status: 200 | 204
  readonly contentType?: string
  readonly body?: string
}

/**
 * The request is not answered as it asks. `forbidden`: the signature or the token is missing or wrong; the response is the same for every
 * cause. `malformed`: it is genuine, and cannot be understood.
 */
export class Refused extends Schema.TaggedError<Refused>()("CarrierRequestRefused", {
  reason: Schema.Literals(["forbidden", "malformed"])
}) {}

export interface Callback {
  readonly method: "GET" | "POST"
  /** Below `/carriers/NAME`, such as `/status`. It also serves all paths below it; `rest` is the remainder. */
  readonly path: `/${string}`
  /** When it fails with a `StorageError`, the response is 503, so that the carrier sends the callback again. */
  readonly handle: (request: Request) => Effect.Effect<Answer, Refused | StorageError>
}

/** An open WebSocket. */
export interface Socket {
  /** What the peer sends, text or bytes, until the socket is closed. The peer is slowed down while nothing is read. */
  readonly messages: Stream.Stream<string | Uint8Array>
  /** Does nothing once the socket is closed. */
  readonly send: (message: string | Uint8Array<ArrayBuffer>) => Effect.Effect<void>
  /** Safe to repeat. Default code: 1000. */
  readonly close: (code?: number) => Effect.Effect<void>
}

export interface SocketRoute {
  /** As with callbacks. */
  readonly path: `/${string}`
  /** Decides before the connection is upgraded. The socket is closed when what it returns has ended. */
  readonly accept: (
    request: Handshake
  ) => Effect.Effect<(socket: Socket) => Effect.Effect<void>, Refused | StorageError>
}

/** The routes of one carrier. */
export interface Routes {
  readonly carrier: CarrierName
  readonly callbacks: ReadonlyArray<Callback>
  readonly sockets: ReadonlyArray<SocketRoute>
}

/** The address of a route as the carrier reaches it; `token` becomes the last segment of its path. */
export const addressOf = (
  { carrier, path, publicUrl, token }: {
    /** With the base path, and without a slash at the end. */
    readonly publicUrl: string
    readonly carrier: CarrierName
    readonly path: `/${string}`
    readonly token: string
  }
): string => `${publicUrl}/carriers/${encodeURIComponent(carrier)}${path}/${token}`

/** The same of a WebSocket. */
export const socketAddressOf = (route: Parameters<typeof addressOf>[0]): string =>
  addressOf(route).replace(/^http/, "ws")
