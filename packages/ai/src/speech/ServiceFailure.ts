/**
 * Why a speech service gives no answer, in a sentence for logs and operators. It repeats nothing that the service has written but numbers
 * and names of errors: such texts may repeat what was said, or the key.
 */
import { SpeechToText } from "@outdial/core"
import { Clock, Data, Effect } from "effect"
import type { Socket } from "effect/socket"

export class ServiceFailure extends Data.TaggedError("ServiceFailure")<{
  /** The service, as messages name it. */
  readonly service: string
  /** Why, as the end of a sentence about it. */
  readonly why: string
  /** Another connection may do better. */
  readonly isLost: boolean
}> {
  override get message() {
    return `${this.service}: ${this.why}`
  }
}

/** As the error of the ports. */
export const speechFailed = (cause: ServiceFailure) => new SpeechToText.SpeechFailed({ cause })

export const lost = (service: string, why: string) => new ServiceFailure({ service, why, isLost: true })

/** The service answers, and asking again would change nothing. */
export const refused = (service: string, why: string) => new ServiceFailure({ service, why, isLost: false })

export const notValid = (service: string) => refused(service, "its answer is not valid")

/** The service has refused the connection, or a request on it, with a status of HTTP. */
export const ofStatus = (service: string, status: number): ServiceFailure => {
  switch (status) {
    case 401:
    case 403:
      return refused(service, "it refuses the key")
    case 402:
      return refused(service, "the account has no credit left")
    case 404:
      return refused(service, "it refuses the request with status 404, as for a model or a voice that does not exist")
    case 408:
    case 429:
      return lost(service, `it limits requests (status ${status})`)
    default:
      if (status >= 500) return lost(service, `it has failed with status ${status}`)
      return status >= 400
        ? refused(service, `it refuses the request with status ${status}: check the model, the voice and the language`)
        : refused(service, `it answers with status ${status}, as a web page does: check its address`)
  }
}

/** The service has reported an error of this name, such as `NET-0001`. */
export const ofCode = (service: string, code: string | undefined): ServiceFailure => {
  const name = /^[\w.:-]{1,64}$/u.exec(code ?? "")?.[0]
  if (name === undefined) return lost(service, "it has reported an error")
  if (/auth|api_key|permission|forbidden/iu.test(name)) return refused(service, `it refuses the key (${name})`)
  if (/quota|credit|billing|payment/iu.test(name)) {
    return refused(service, `the account has no credit left (${name})`)
  }
  return lost(service, `it has reported the error ${name}`)
}

export const ofSocket = (service: string, { reason }: Socket.SocketError): ServiceFailure => {
  switch (reason._tag) {
    case "SocketOpenError": {
      if (reason.kind === "Timeout") return lost(service, "it does not answer")
      const status = /Unexpected server response: (\d{3})/u.exec(messageOf(reason.cause))?.[1]
      return status === undefined ? lost(service, "it cannot be reached") : ofStatus(service, Number(status))
    }
    case "SocketCloseError":
      return lost(service, `it has ended the connection with code ${reason.code}`)
    default:
      return lost(service, "the connection was lost")
  }
}

/** The error event of `ws` has the status of the answer in its message. */
const messageOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "message" in cause ? String(cause.message) : ""

/** A connection that is lost again within this time will not last. */
const outage = 30_000

/** Runs what never ends by itself: again when its connection was lost, but not twice within 30 seconds. */
export const reconnected = Effect.fnUntraced(function*<R>(
  session: Effect.Effect<never, ServiceFailure, R>,
  onLost: Effect.Effect<void>
): Effect.fn.Return<never, ServiceFailure, R> {
  let lostAt = -Infinity
  while (true) {
    const failure = yield* Effect.flip(session)
    yield* onLost
    const now = yield* Clock.currentTimeMillis
    if (!failure.isLost || now - lostAt < outage) return yield* failure
    lostAt = now
    yield* Effect.logWarning(`${failure.message}; it is connected again`)
  }
})
