/**
 * Sends the promise client's requests: one attempt after the other, with the same bytes, as long as repeating is safe.
 * Guarantees that a request which must not be done twice is repeated only when the service has said that it did nothing.
 */
import { unknownNames } from "@outdial/core/names"
import { connectionFailed, fromResponse, optionRefused, OutdialApiError } from "./PromiseErrors.ts"
import { fromWire, toWire } from "./PromiseTypes.ts"

export interface Options {
  /** The root of the server, such as `https://calls.example.com`, without `/v1`. */
  readonly baseUrl: string | URL
  /** An API key. It can place calls: keep it on your server, as a key in a browser can be copied. */
  readonly apiKey: string
  /** How often a request is repeated after a failure that is safe to repeat. Default: 4, enough for a restart of the server. */
  readonly retries?: number
  /** Another `fetch`, for proxies and tests. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** What a single call of a method may say. */
export interface RequestOptions {
  /** Ends the request, its retries and their waiting; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** In TypeScript names; what is undefined is left out, and an array gives its name once per item. */
export type Query = object

export interface Sent extends RequestOptions {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly query?: Query
  readonly body?: unknown
  readonly idempotencyKey?: string
  /** Whether doing it twice is as good as once. */
  readonly repeatable: boolean
}

/** Time and chance, so that tests need not wait. */
export interface Timing {
  readonly wait: (millis: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
}

export type Transport = (sent: Sent) => Promise<unknown>

/** Longest time for one attempt: far over the slowest honest answer, which is a batch of 1,000 rows. */
const attemptTimeoutMillis = 60_000
/** A longer `Retry-After` is for the caller to decide on. */
const maxRetryAfterSeconds = 120
const firstDelay = 500
const maxDelay = 8000

/** These say that nothing was done. */
const unprocessedStatuses = [408, 429]
/** These may follow work that was done. */
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
        // Unlike a header of our own, this one is not passed on to another host.
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(sent.idempotencyKey !== undefined && { "idempotency-key": sent.idempotencyKey })
      },
      ...(body !== undefined && { body }),
      // Following one would turn a POST into a GET.
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

/** In milliseconds: doubling, half of it chance, and never before the service's `Retry-After`. */
const delay = (done: number, { retryAfter = 0 }: OutdialApiError, random: number): number => {
  const step = Math.min(maxDelay, firstDelay * 2 ** done)
  // Chance is added to what the service asks for, so that many clients do not come back in one moment.
  return retryAfter > 0 ? retryAfter * 1000 + random * firstDelay : step * (0.5 + random / 2)
}

const withDeadline = (signal: AbortSignal | undefined): AbortSignal => {
  const deadline = AbortSignal.timeout(attemptTimeoutMillis)
  return signal === undefined ? deadline : AbortSignal.any([signal, deadline])
}

/** The caller's own end comes through as it is; everything else is a failed connection. */
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
