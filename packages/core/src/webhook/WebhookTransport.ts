/**
 * Port: sends one signed delivery to its receiver. Responds once within the deadline and follows no redirect.
 * `@outdial/node` has the layer for production, which blocks addresses that are not public; `layerMemory` records
 * deliveries.
 */
import { Context, type Duration, Effect, Layer, Option, Ref, Schema } from "effect"

export interface Request {
  readonly url: string
  /** Lower-case names, signatures included. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The receiver's response. Only 2xx is success. */
export interface Answer {
  readonly statusCode: number
  readonly retryAfter: Option.Option<Duration.Duration>
}

/** There was no response. */
export class TransportFailed extends Schema.TaggedError<TransportFailed>()("TransportFailed", {
  errorCode: Schema.Literals([
    "dns_error",
    "connection_refused",
    "connection_reset",
    "network_unreachable",
    "timeout",
    "tls_error",
    "blocked_address",
    "network_error",
    /** This process has no sockets, descriptors or buffers left: nothing was sent, and the receiver is not at fault. */
    "sender_exhausted",
    /** Not used by transports: the secret could not be opened, and nothing was sent. */
    "signing_failed"
  ]),
  cause: Schema.Defect()
}) {}

/** Requests, oldest first. */
export type Sends = ReadonlyArray<Request>

/** The requests that `layerMemory` has sent. */
export class Sent extends Context.Service<Sent, Ref.Ref<Sends>>()(
  "@outdial/core/webhook/WebhookTransport/Sent"
) {}

export class WebhookTransport extends Context.Service<WebhookTransport, {
  readonly send: (request: Request) => Effect.Effect<Answer, TransportFailed>
  /** Why this address may not be set as an endpoint, in words that follow "url"; the gate itself is in `send`. */
  readonly refuses: (url: string) => Option.Option<string>
}>()("@outdial/core/webhook/WebhookTransport") {
  /** Sends nothing, records nothing and responds 200: deliveries are discarded. */
  static readonly layerNowhere = Layer.succeed(WebhookTransport, {
    send: () => Effect.succeed({ statusCode: 200, retryAfter: Option.none() }),
    refuses: (url) => URL.canParse(url) ? Option.none() : Option.some("must be an absolute https address")
  })

  /** The same, and records every request in `Sent`, for tests. */
  static readonly layerMemory = Layer.effect(
    WebhookTransport,
    Effect.gen(function*() {
      const sent = yield* Sent
      const nowhere = yield* WebhookTransport
      return {
        ...nowhere,
        send: (request) => Effect.andThen(Ref.update(sent, (all) => [...all, request]), nowhere.send(request))
      }
    })
  ).pipe(
    Layer.provide(WebhookTransport.layerNowhere),
    Layer.provideMerge(Layer.effect(Sent, Ref.make<Sends>([])))
  )
}
