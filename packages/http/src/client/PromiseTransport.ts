/**
 * Sends the promise client's requests: retries with the same bytes while that is safe. Guarantees that a request that is not
 * idempotent is retried only if the service has reported that it did nothing.
 */
import { unknownNames } from "@outdial/core/names"
import { connectionFailed, fromResponse, optionRefused, OutdialApiError } from "./PromiseErrors.ts"
import { fromWire, toWire } from "./PromiseTypes.ts"

export interface Options {
  /** The root of the server, such as `https://calls.example.com`, without `/v1`. */
  readonly baseUrl: string | URL
  /** An API key. It can place calls: keep it on your server, as a key in a browser can be copied. */
  readonly apiKey: string
  /** How often a request is retried after a failure that is safe to retry. Default: 4, enough for a restart of the server. */
  readonly retries?: number
  /** Another `fetch`, for proxies and tests. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** Options of every method. */
export interface RequestOptions {
  /** Aborts the request, its retries and their delays; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** In TypeScript names. Undefined values are left out; an array repeats its name for each item. */
export type Query = object

export interface Sent extends RequestOptions {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly query?: Query
  readonly body?: unknown
  readonly idempotencyKey?: string
  /** Whether the request is idempotent. */
  readonly repeatable: boolean
}

/** Clock and randomness, replaceable in tests. */
export interface Timing {
  readonly wait: (millis: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
}

export type Transport = (sent: Sent) => Promise<unknown>

/** Timeout of one attempt: far above the slowest regular response, a batch of 1,000 rows. */
const attemptTimeoutMillis = 60_000
/** With a longer `Retry-After` the request fails, and the caller decides. */
const maxRetryAfterSeconds = 120
const firstDelay = 500
const maxDelay = 8000

/** The service did nothing. */
const unprocessedStatuses = [408, 429]
/** The service may have carried out the request. */
const serverErrorStatuses = [500, 502, 503, 504]

export const make = (options: Options, timing: Timing = realTiming): Transport => {
  checkNames(options, { baseUrl: true, apiKey: true, retries: true, fetch: true })
  const { apiKey, fetch = globalThis.fetch, retries = 4 } = options
  const root = String(options.baseUrl).replace(/\/+$/, "")

  const attempt = async (sent: Sent, body: string | undefined): Promise<unknown> => {
    const response = await fetch(root + sent.path + queryString(sent.query), {
      method: sent.method,
      headers: {
        accept: "application/json",
        // Unlike a custom header, this one is not sent to another host.
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(sent.idempotencyKey !== undefined && { "idempotency-key": sent.idempotencyKey })
      },
      ...(body !== undefined && { body }),
      // Following a redirect would turn a POST into a GET.
      redirect: "manual",
      signal: withDeadline(sent.signal)
    }).catch(failed(sent.signal))
    const text = await response.text().catch(failed(sent.signal))
    const answer = parse(text)
    if (!response.ok || answer === undefined) throw fromResponse(response, answer)
    return fromWire(answer)
  }

  return async (sent) => {
    const body = sent.body === undefined ? undefined : JSON.stringify(toWire(sent.body))
    for (let done = 0;; done++) {
      try {
        return await attempt(sent, body)
      } catch (error) {
        if (!(error instanceof OutdialApiError) || done >= retries || !isRetryable(error, sent)) throw error
        await timing.wait(delay(done, error, timing.random()), sent.signal)
      }
    }
  }
}

/** Throws for an unknown option: a misspelled `idempotencyKey` must not place a second call. */
export const checkNames = <O extends object>(options: O, names: { readonly [Name in keyof O]-?: true }): void => {
  const [unknown] = unknownNames(options, names, "option")
  if (unknown !== undefined) throw optionRefused(`${unknown.path.join()} ${unknown.message}`)
}

const isRetryable = ({ code, retryAfter = 0, status }: OutdialApiError, { repeatable }: Sent): boolean => {
  if (retryAfter > maxRetryAfterSeconds) return false
  if (unprocessedStatuses.includes(status)) return true
  return repeatable &&
    (code === "connection_failed" || code === "idempotency_key_in_use" || serverErrorStatuses.includes(status))
}

/** In milliseconds: exponential, with half of it jitter, and never below the service's `Retry-After`. */
const delay = (done: number, { retryAfter = 0 }: OutdialApiError, random: number): number => {
  const step = Math.min(maxDelay, firstDelay * 2 ** done)
  // Adds jitter, so that clients do not retry at the same moment.
  return retryAfter > 0 ? retryAfter * 1000 + random * firstDelay : step * (0.5 + random / 2)
}

const withDeadline = (signal: AbortSignal | undefined): AbortSignal => {
  const deadline = AbortSignal.timeout(attemptTimeoutMillis)
  return signal === undefined ? deadline : AbortSignal.any([signal, deadline])
}

/** Rethrows the caller's abort; everything else is a failed connection. */
const failed = (signal: AbortSignal | undefined) => (cause: unknown): never => {
  signal?.throwIfAborted()
  throw connectionFailed(cause)
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const queryString = (query: Query = {}): string => {
  const pairs = Object.entries(toWire(query) as object).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).filter((item) => item !== undefined)
      .map((item): [string, string] => [name, asText(item)])
  )
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`
}

// oxlint-disable-next-line no-restricted-globals -- reads a caller's Date, not the clock
const asText = (value: unknown): string => value instanceof Date ? value.toISOString() : String(value)

/* oxlint-disable no-restricted-globals, no-restricted-properties -- promises have no Clock and no Random */
const realTiming: Timing = {
  random: () => Math.random(),
  wait: (millis, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const ended = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", ended)
        resolve()
      }, millis)
      signal?.addEventListener("abort", ended, { once: true })
    })
}
/* oxlint-enable no-restricted-globals, no-restricted-properties */
