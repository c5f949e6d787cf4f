/**
 * The real `WebhookTransport`. Sends to public https addresses only, over its own connection pool. Follows no redirect, uses no
 * proxy, and reads little of a response.
 */
import { Agent } from "@effect/platform-node/Undici"
import { OptionNames, WebhookTransport } from "@outdial/core"
import { Clock, DateTime, Duration, Effect, Layer, Option } from "effect"
import * as AddressGate from "./AddressGate.ts"
import * as Exchange from "./Exchange.ts"
import * as GatedConnector from "./GatedConnector.ts"

export interface GatedTransportOptions extends AddressGate.Exemptions {
  /** Replaces DNS. Its addresses are checked, too. */
  readonly resolve?: GatedConnector.Resolve
}

/** Sends webhooks to public addresses only, by HTTPS. It does not follow redirects. */
export const layer = (
  options: GatedTransportOptions = {}
): Layer.Layer<WebhookTransport.WebhookTransport> =>
  Layer.effect(
    WebhookTransport.WebhookTransport,
    Effect.gen(function*() {
      OptionNames.checkUnsafe(options, optionNames)
      const dispatcher = yield* Effect.acquireRelease(
        Effect.sync(() =>
          new Agent({
            connect: GatedConnector.make(options, options.resolve),
            // Unlimited, because the engine limits deliveries in flight: many endpoints may share a host name, and hanging ones
            // must not block the others.
            connections: null,
            // The response to one delivery must not wait for another's.
            pipelining: 1,
            allowH2: false
          })
        ),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const targetOf = makeTargets(options)
      return WebhookTransport.WebhookTransport.of({
        refuses: (url) => AddressGate.refuses(url, options),
        send: Effect.fnUntraced(function*({ body, headers, url }) {
          // The address may have been stored under another configuration.
          const target = targetOf(url)
          if ("refused" in target) {
            return yield* new WebhookTransport.TransportFailed({
              errorCode: "blocked_address",
              cause: `The url ${target.refused}`
            })
          }
          const answer = yield* Effect.mapError(
            Exchange.post(dispatcher, { origin: target.origin, path: target.path, headers, body }),
            ({ cause }) => toTransportFailed(cause)
          )
          const retryAfter = answer.headers["retry-after"]
          return {
            statusCode: answer.statusCode,
            retryAfter: retryAfter === undefined
              ? Option.none()
              : parseRetryAfter(String(retryAfter), yield* Clock.currentTimeMillis)
          }
        })
      })
    })
  )

const optionNames: OptionNames.Names<GatedTransportOptions> = { allow: true, loopback: true, resolve: true }

/** A parsed address, or the reason for its rejection. */
type Target = { readonly origin: string; readonly path: string } | { readonly refused: string }

/** More addresses than a process uses at a time. */
const maxTargets = 10_000

/** Caches parsed addresses. */
const makeTargets = (exemptions: AddressGate.Exemptions) => {
  const targets = new Map<string, Target>()
  return (url: string): Target => {
    const known = targets.get(url)
    if (known !== undefined) return known
    const target = read(url, exemptions)
    if (targets.size >= maxTargets) targets.clear()
    targets.set(url, target)
    return target
  }
}

const read = (url: string, exemptions: AddressGate.Exemptions): Target => {
  const why = AddressGate.refuses(url, exemptions)
  if (Option.isSome(why)) return { refused: why.value }
  const { origin, pathname, search } = new URL(url)
  return { origin, path: `${pathname}${search}` }
}

/** `Retry-After` in seconds, from seconds or a future HTTP date; `undefined` for anything else. */
export const parseRetryAfter = (value: string | undefined, now: number): Option.Option<Duration.Duration> => {
  if (value === undefined) return Option.none()
  // Ten digits are three centuries; longer values are invalid.
  if (/^\d{1,10}$/.test(value)) return Option.some(Duration.seconds(Number(value)))
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return Option.none()
  return DateTime.make(value).pipe(
    Option.map((at) => at.epochMilliseconds - now),
    Option.filter((millis) => millis >= 0),
    Option.map(Duration.millis)
  )
}

type ErrorCode = WebhookTransport.TransportFailed["errorCode"]

const toTransportFailed = (cause: unknown) =>
  new WebhookTransport.TransportFailed({ errorCode: errorCodeOf(cause), cause })

const errorCodeOf = (cause: unknown): ErrorCode => {
  if (cause instanceof GatedConnector.BlockedAddress) return "blocked_address"
  if (cause instanceof GatedConnector.DnsFailed) {
    return codes[systemCode(cause.cause)] === "sender_exhausted" ? "sender_exhausted" : "dns_error"
  }
  // Several addresses failed: the first error is used.
  if (cause instanceof AggregateError && cause.errors.length > 0) return errorCodeOf(cause.errors[0])
  const code = systemCode(cause)
  return codes[code] ?? (isTls(code) ? "tls_error" : "network_error")
}

const systemCode = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

const codes: Readonly<Record<string, ErrorCode>> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  UND_ERR_SOCKET: "connection_reset",
  EHOSTUNREACH: "network_unreachable",
  ENETUNREACH: "network_unreachable",
  EADDRNOTAVAIL: "network_unreachable",
  EMFILE: "sender_exhausted",
  ENFILE: "sender_exhausted",
  ENOBUFS: "sender_exhausted",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout"
}

// Node's own TLS errors, OpenSSL's protocol errors, and its verdicts on certificates.
const isTls = (code: string) =>
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)
