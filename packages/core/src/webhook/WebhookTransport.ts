/**
 * Port: sends one signed delivery to its receiver. Guarantees one answer within the deadline and never a redirect followed.
 * The real one is `@outdial/node`'s, which lets nothing through to addresses that are not public; `layerMemory` keeps what
 * it is given.
 */
import { Context, type Duration, Effect, Layer, Option, Ref, Schema } from "effect"

export interface Request {
  readonly url: string
  /** Lower-case names, signatures included. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the receiver answered. Only 2xx is success. */
export interface Answer {
  readonly statusCode: number
  readonly retryAfter: Option.Option<Duration.Duration>
}

/** No answer came. */
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
    /** This process has no sockets, descriptors or buffers left: nothing was sent, and the receiver is not to blame. */
    "sender_exhausted",
    /** Not a transport's to say: the secret could not be opened, and nothing was sent. */
    "signing_failed"
  ]),
  cause: Schema.Defect()
}) {}

/** Requests, oldest first. */
export type Sends = ReadonlyArray<Request>

/** What `layerMemory` has sent. */
export class Sent extends Context.Service<Sent, Ref.Ref<Sends>>()(
  "@outdial/core/webhook/WebhookTransport/Sent"
) {}

export class WebhookTransport extends Context.Service<WebhookTransport, {
  readonly send: (request: Request) => Effect.Effect<Answer, TransportFailed>
  /** Why this address may not be set as an endpoint, in words that follow "url"; the gate itself is in `send`. */
  readonly refuses: (url: string) => Option.Option<string>
}>()("@outdial/core/webhook/WebhookTransport") {
  /** Sends nothing, keeps nothing and answers 200: all that is delivered goes nowhere. */
  static readonly layerNowhere = Layer.succeed(WebhookTransport, {
    send: () => Effect.succeed({ statusCode: 200, retryAfter: Option.none() }),
    refuses: (url) => URL.canParse(url) ? Option.none() : Option.some("must be an absolute https address")
  })

  /** The same, and keeps every request in `Sent`, for tests. */
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
