/**
 * A `(req, res)` listener below a framework: it gets the full path, although Express cuts off the path of a mount, and bodies that a parser
 * has read.
 */
import { IncomingMessage, type ServerResponse } from "node:http"
import * as ProtocolErrors from "./ProtocolErrors.ts"

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** The framework's requests, with the properties that it added, by those that the listener gets in their place. */
export type Originals = WeakMap<IncomingMessage, IncomingMessage>

/** The properties that frameworks add to a request. */
interface FrameworkRequest extends IncomingMessage {
  readonly originalUrl?: string
  readonly body?: unknown
  /** The bytes of a parsed body, where the framework keeps them. */
  readonly rawBody?: unknown
}

export interface Options {
  readonly originals: Originals
  /** The answer to a request whose body was parsed and whose bytes are not known. Default: the body is serialized again. */
  readonly refuse?: (request: IncomingMessage) => ProtocolErrors.Answer | undefined
}

/** The listener for requests of frameworks. */
export const make =
  (listener: Listener, { originals, refuse }: Options): Listener =>
  (request: FrameworkRequest, response: ServerResponse) => {
    // Express cuts the mount path off `url`; the API expects the full path.
    if (request.originalUrl !== undefined) request.url = request.originalUrl
    if (!isBodyParsed(request)) return listener(request, response)
    const refused = hasBytes(request) ? undefined : refuse?.(request)
    if (refused !== undefined) return ProtocolErrors.respond(response, refused)
    const again = withParsedBody(request)
    originals.set(again, request)
    listener(again, response)
  }

/** Whether a body parser has read the body. */
const isBodyParsed = (request: FrameworkRequest) => request.readableEnded && request.body !== undefined

/** Whether the body is there as it was sent. */
const hasBytes = ({ body, rawBody }: FrameworkRequest) =>
  rawBody instanceof Uint8Array || typeof body === "string" || body instanceof Uint8Array

/** The request with the bytes of its body, or with the parsed body serialized again. */
const withParsedBody = (request: FrameworkRequest): IncomingMessage => {
  const body = request.rawBody instanceof Uint8Array ? request.rawBody : request.body
  const again = new IncomingMessage(request.socket)
  const { headers, httpVersion, httpVersionMajor, httpVersionMinor, method, rawHeaders, url } = request
  Object.assign(again, {
    headers,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    method,
    rawHeaders,
    url,
    complete: true
  })
  again.push(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body))
  again.push(null)
  return again
}
