/** A carrier with a callback and a socket that ask for a signature and a token, and note what reaches them. */
import { CarrierRoutes, CarrierTokens, Ids, Telephony } from "@outdial/core"
import { Context, DateTime, Deferred, Duration, Effect, Layer, Option, Stream } from "effect"

export const carrier = Ids.CarrierName.make("exemplary")

/** What the carrier has accepted. */
export class Accepted extends Context.Service<Accepted, {
  readonly callbacks: Array<{ readonly url: string; readonly body: string }>
  readonly messages: Array<string | number>
  /** Done once the handler of a socket has ended. */
  readonly ended: Deferred.Deferred<void>
}>()("test/carrier/Accepted") {
  static readonly layer = Layer.effect(
    Accepted,
    Effect.map(Deferred.make<void>(), (ended) => ({ callbacks: [], messages: [], ended }))
  )
}

const forbidden = new CarrierRoutes.Refused({ reason: "forbidden" })

export const layer: Layer.Layer<Telephony.Telephony, never, Accepted | CarrierTokens.CarrierTokens> = Layer.effect(
  Telephony.Telephony,
  Effect.gen(function*() {
    const tokens = yield* CarrierTokens.CarrierTokens
    const accepted = yield* Accepted
    const checked = Effect.fnUntraced(function*({ headers, rest }: CarrierRoutes.Handshake, purpose: string) {
      if (headers["x-signature"] !== "genuine") return yield* forbidden
      const call = yield* tokens.check(rest.join("/"), purpose)
      return Option.isSome(call) ? call.value : yield* forbidden
    })
    const callback: CarrierRoutes.Callback = {
      method: "POST",
      path: "/status",
      handle: Effect.fnUntraced(function*(request) {
        yield* checked(request, "status")
        const body = new TextDecoder().decode(request.body)
        if (body === "nonsense") return yield* new CarrierRoutes.Refused({ reason: "malformed" })
        accepted.callbacks.push({ url: request.url, body })
        return body === "say" ? { status: 200, contentType: "text/xml", body: "<Say/>" } : { status: 204 }
      })
    }
    const socket: CarrierRoutes.SocketRoute = {
      path: "/relay",
      accept: Effect.fnUntraced(function*(request) {
        yield* checked(request, "relay")
        return ({ close, messages, send }) =>
          messages.pipe(
            Stream.runForEach((message) => {
              accepted.messages.push(typeof message === "string" ? message : message.length)
              if (message === "bye") return close()
              return message === "flood"
                ? Effect.replicateEffect(send("x".repeat(65_536)), 100)
                : send(message as string)
            }),
            // What a conversation has to store at its end.
            Effect.ensuring(Effect.delay(Deferred.succeed(accepted.ended, undefined), Duration.millis(10)))
          )
      })
    }
    return Telephony.Telephony.of({
      name: carrier,
      dial: () => Effect.die("dials nothing"),
      lookUp: () => Effect.succeed({ _tag: "Unreachable" }),
      hangUp: () => Effect.void,
      notFoundLag: Duration.seconds(1),
      routes: [{ carrier, callbacks: [callback], sockets: [socket] }]
    })
  })
)

const call = { accountId: Ids.AccountId.make("acct_1"), callId: Ids.CallId.make("call_1") }

/** The path of a route with a token of it. */
export const pathOf = Effect.fnUntraced(function*(purpose: "relay" | "status") {
  const tokens = yield* CarrierTokens.CarrierTokens
  const expiresAt = DateTime.add(yield* DateTime.now, { hours: 1 })
  const token = yield* tokens.make({ ...call, purpose, expiresAt })
  return CarrierRoutes.addressOf({ publicUrl: "", carrier, path: `/${purpose}`, token })
})
