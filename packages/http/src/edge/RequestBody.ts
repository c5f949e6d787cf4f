/**
 * Reads request bodies: JSON objects in UTF-8 with limits of size, depth and time. Runs after the check of key and scope, so
 * that a body without a valid key is not read.
 */
import { Limits } from "@outdial/core"
import { ByteSize, Context, Effect, Fiber, Layer, Option, Predicate } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest } from "effect/http"
import { HttpApiError, HttpApiMiddleware } from "effect/http-api"
import * as ApiErrors from "./ApiErrors.ts"

/** Endpoint annotation: the maximum size of its body. */
export const MaxBodyBytes = Context.Reference<number>("@outdial/http/MaxBodyBytes", {
  defaultValue: () => Limits.bodyBytes
})

/** Timeout of a body: a slow mobile line sends 256 KiB in half of it. */
const bodyTimeout = "30 seconds"

/** Far deeper than real metadata, and far below the depth at which decoding would overflow the stack. */
const maxDepth = 64

export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("@outdial/http/edge/RequestBody", {
  error: ApiErrors.declare("invalid_json", "request_timeout", "payload_too_large", "unsupported_media_type")
}) {
  static readonly layer = Layer.succeed(RequestBody, (httpEffect, { endpoint }) =>
    Effect.gen(function*() {
      const text = yield* readText(Context.get(endpoint.annotations, MaxBodyBytes))
      if (depthOf(text) > maxDepth) {
        return yield* ApiErrors.invalidJson(`is nested more than ${maxDepth} levels deep`)
      }
      return yield* Effect.catch(httpEffect, (error) =>
        // Checked only now, so that a valid body is parsed once.
        Effect.fail(
          HttpApiError.HttpApiSchemaError.is(error) && !isJsonObject(text)
            ? ApiErrors.invalidJson("must be a JSON object")
            : error
        ))
    }))
}

/** For the endpoints that take no body. A field would be ignored, so a body with one is refused; an empty object is none. */
export class NoBody extends HttpApiMiddleware.Service<NoBody>()("@outdial/http/edge/NoBody", {
  error: ApiErrors.declare("invalid_request", "invalid_json", "request_timeout", "payload_too_large")
}) {
  static readonly layer = Layer.succeed(NoBody, (httpEffect) =>
    Effect.gen(function*() {
      const text = yield* readUtf8(Limits.bodyBytes)
      const body = text.trim() === "" ? {} : Option.getOrUndefined(parse(text))
      if (!isObject(body)) return yield* ApiErrors.invalidJson("must be empty, or an empty JSON object")
      const names = Object.keys(body)
      return yield* names.length === 0 ? httpEffect : Effect.fail(ApiErrors.unknownFields(names))
    }))
}

const readText = Effect.fnUntraced(function*(maxBytes: number) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { "content-encoding": encoding = "identity", "content-type": mediaType = "application/json" } = request.headers
  if (encoding !== "identity" || !isJsonInUtf8(mediaType)) {
    return yield* Effect.fail(ApiErrors.unsupportedMediaType)
  }
  return yield* readUtf8(maxBytes)
})

const readUtf8 = Effect.fnUntraced(function*(maxBytes: number) {
  const bytes = yield* readBytes(maxBytes)
  return yield* Effect.try({
    try: () => utf8.decode(bytes),
    catch: () => ApiErrors.invalidJson("must be UTF-8")
  })
})

/** The whole body, within the limits of size and time. */
export const readBytes = Effect.fnUntraced(function*(maxBytes: number) {
  const request = yield* HttpServerRequest.HttpServerRequest
  // Declared too large: not read at all.
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    return yield* ApiErrors.payloadTooLarge(maxBytes)
  }
  // In a separate fiber: interrupting the read would close the connection before the response is written.
  const reading = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
    Effect.mapError((error) => unread(error, maxBytes)),
    Effect.forkScoped({ startImmediately: true })
  )
  // Most bodies arrive with their headers and need no timeout.
  yield* Effect.yieldNow
  return yield* reading.pollUnsafe() ?? Fiber.join(reading).pipe(
    Effect.timeoutOrElse({ duration: bodyTimeout, orElse: () => Effect.fail(ApiErrors.requestTimeout) })
  )
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

const isJsonInUtf8 = (mediaType: string): boolean => {
  const [type = "", ...parameters] = mediaType.split(";")
  return type.trim().toLowerCase() === "application/json" &&
    parameters.every((parameter) => !/^\s*charset\b/i.test(parameter) || /=("?)utf-?8\1\s*$/i.test(parameter))
}

/** Why the body could not be read. */
const unread = ({ reason }: HttpServerError.HttpServerError, maxBytes: number) => {
  if (reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge") {
    return ApiErrors.payloadTooLarge(maxBytes)
  }
  const { cause } = reason
  const isLate = Predicate.hasProperty(cause, "code") && cause.code === "ERR_HTTP_REQUEST_TIMEOUT"
  return isLate ? ApiErrors.requestTimeout : ApiErrors.invalidJson("could not be read")
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isJsonObject = (text: string): boolean => Option.exists(parse(text), isObject)

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** How deep JSON text nests. Brackets inside strings do not count. */
const depthOf = (text: string): number => {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at++ // a backslash escapes what follows
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x5b || char === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (char === 0x5d || char === 0x7d) depth--
  }
  return deepest
}
