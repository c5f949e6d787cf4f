/**
 * Requests to a carrier's API, over plain HTTP: each is sent once, and nothing below repeats it. What went wrong is told without the
 * request, which has the number of the call and the credentials.
 */
import { Telephony } from "@outdial/core"
import { Clock, DateTime, Effect, Option, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"

/** A response, whatever its status. */
export interface Answer {
  readonly status: number
  readonly body: string
  /** How far our clock is ahead of the carrier's, in milliseconds, give or take a second; none if the response has no date. */
  readonly clockAhead: number | undefined
}

/** How long a carrier may take for an answer. */
const timeout = "15 seconds"

/**
 * `fetch` sends a request again that is answered with status 421, as its standard asks for, unless the body is a stream: that cannot be read
 * twice. With its length given, the stream is sent like any other body.
 */
const fetchOnce = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => (url, init) => {
  const body = init?.body
  if (!(body instanceof Uint8Array)) return fetch(url, init)
  const headers = new Headers(init?.headers)
  headers.set("content-length", String(body.length))
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(body)
      controller.close()
    }
  })
  return fetch(url, { ...init, headers, body: stream, duplex: "half" })
}

export const send = Effect.fnUntraced(
  function*(request: HttpClientRequest.HttpClientRequest) {
    const client = yield* HttpClient.HttpClient
    const sentAt = yield* Clock.currentTimeMillis
    const response = yield* client.execute(HttpClientRequest.acceptJson(request))
    const clockAhead = aheadOf(response.headers["date"], sentAt, yield* Clock.currentTimeMillis)
    const answer: Answer = { status: response.status, body: yield* response.text, clockAhead }
    return answer
  },
  (request) =>
    request.pipe(
      Effect.timeout(timeout),
      // Followed, a redirect could send the request for a call twice.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.updateService(FetchHttpClient.Fetch, fetchOnce),
      // The URL of a list has phone numbers, which no span may have.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
)

/** The header has whole seconds, of an instant between the request and the response. */
export const aheadOf = (date: string | undefined, sentAt: number, receivedAt: number): number | undefined => {
  const at = Option.getOrUndefined(DateTime.make(date ?? ""))
  return at === undefined ? undefined : Math.round((sentAt + receivedAt) / 2 - at.epochMilliseconds - 500)
}

/** How long a recording may take: hours of a call are hundreds of megabytes. */
const downloadTimeout = "5 minutes"

/** The longest recording that is copied: 2 hours and 20 minutes of two channels with 16 bits and 8,000 samples a second. It is held in memory. */
const recordingBytes = 256 * 1024 * 1024

/** The recording has more bytes than may be held in memory. */
export class RecordingTooLong extends Schema.TaggedError<RecordingTooLong>()("RecordingTooLong", {
  /** How many may be. */
  mostBytes: Schema.Int
}) {
  override get message(): string {
    return `The recording has more than ${this.mostBytes} bytes`
  }
}

/** The response is no recording, such as a page of a proxy. */
export class NotAudio extends Schema.TaggedError<NotAudio>()("NotAudio", { mediaType: Schema.String }) {
  override get message(): string {
    return `The response is ${this.mediaType}, and no audio`
  }
}

/** Stores may not know that what they store is audio. */
const isAudio = (mediaType: string) => /^(?:audio\/|(?:application|binary)\/octet-stream$)/u.test(mediaType)

/** The audio at an address. Fails on a response that is no success or no audio, and as soon as it has more than `mostBytes`. */
export const download = Effect.fnUntraced(
  function*(request: HttpClientRequest.HttpClientRequest, mostBytes: number = recordingBytes) {
    const client = yield* HttpClient.HttpClient
    const response = yield* Effect.flatMap(client.execute(request), HttpClientResponse.filterStatusOk)
    const mediaType = response.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "audio/wav"
    if (!isAudio(mediaType)) return yield* new NotAudio({ mediaType })
    const tooLong = new RecordingTooLong({ mostBytes })
    if (Number(response.headers["content-length"] ?? 0) > mostBytes) return yield* tooLong
    const chunks: Array<Uint8Array> = []
    let length = 0
    yield* Stream.runForEach(response.stream, (chunk) => {
      length += chunk.length
      chunks.push(chunk)
      return length > mostBytes ? Effect.fail(tooLong) : Effect.void
    })
    return { mediaType, bytes: joined(chunks, length) }
  },
  (request) =>
    // It may be stored elsewhere. Following a redirect repeats nothing, and another host gets no credentials.
    request.pipe(Effect.timeout(downloadTimeout), Effect.provideService(HttpClient.TracerDisabledWhen, () => true))
)

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number) => {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/** What went wrong at the carrier, without the request. */
export const withoutRequest = (carrier: string, cause: unknown): Error => {
  const [code] = codesOf(cause).filter((one) => typeof one === "string")
  return new Error(`${carrier} has not answered as expected${code === undefined ? "" : ` (${code})`}`)
}

/** The failure of a dial that got no response. */
export const failureWithout = (carrier: string, cause: unknown): Telephony.DialFailed =>
  new Telephony.DialFailed({
    reason: codesOf(cause).some((code) => beforeRequest.has(code)) ? "unavailable" : "unknown",
    cause: withoutRequest(carrier, cause)
  })

/** Messages of a carrier name the numbers of the call, and its addresses with their tokens, which no log may have. */
export const withoutDetails = (message: string): string =>
  message.replaceAll(/\S*:\/\/\S*/gu, "(address)").replaceAll(/\+?\d[\d\s().-]{5,}\d/gu, "(number)")

/** Errors of connections that end before the request is written: nothing has reached the carrier. */
const beforeRequest: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

/** A connection that was open can fail as one that was not: after the request was written, the network may become unreachable. */
const isOfOpen = (cause: object): cause is { readonly syscall: "read" | "write" } =>
  "syscall" in cause && (cause.syscall === "read" || cause.syscall === "write")

/** The codes of an error and of its causes. */
const codesOf = (cause: unknown): ReadonlyArray<unknown> => {
  if (typeof cause !== "object" || cause === null) return []
  const code = "code" in cause ? [isOfOpen(cause) ? `${cause.syscall} ${String(cause.code)}` : cause.code] : []
  // A connection that was tried with several addresses has an error for each: one that may have been written decides.
  if ("errors" in cause && Array.isArray(cause.errors)) {
    const all = cause.errors.map(codesOf)
    return all.every((codes) => codes.some((one) => beforeRequest.has(one))) ? all.flat() : []
  }
  return [...code, ..."cause" in cause ? codesOf(cause.cause) : [], ..."reason" in cause ? codesOf(cause.reason) : []]
}
