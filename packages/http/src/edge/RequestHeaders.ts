/**
 * Rejects requests whose headers proxies and servers may read differently (RFC 9112 §3.2, §6.1): the host, the length of the
 * body, and headers that may be sent only once. Runs before routing.
 */
import type { Errors } from "@outdial/core"
import type { HttpServerRequest } from "effect/http"
import * as ApiErrors from "./ApiErrors.ts"

/** Node's requests show each header line; web requests join the lines of a name. */
interface NodeRequest {
  readonly httpVersion: string
  readonly rawHeaders: ReadonlyArray<string>
}

const isNodeRequest = (source: object): source is NodeRequest =>
  "rawHeaders" in source && Array.isArray(source.rawHeaders) && "httpVersion" in source

/** How often the header was sent, if the platform shows it. */
export const count = ({ headers, source }: HttpServerRequest.HttpServerRequest, name: string): number => {
  if (!isNodeRequest(source)) return headers[name] === undefined ? 0 : 1
  return source.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}

/** Credentials are not listed: two of them are 401, from `Authorization`. */
const once = ["host", "content-type", "content-length", "idempotency-key"]

/** A name or an address, and a port (RFC 3986 §3.2.2). */
const host = /^(\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]*)(:\d*)?$/i

/** The error of the headers, if there is one. */
export const problem = (
  request: HttpServerRequest.HttpServerRequest
): ApiErrors.ApiError<"invalid_request"> | undefined => {
  const problems = problemsOf(request)
  if (problems.length === 0) return undefined
  // The start of the next request is uncertain.
  return ApiErrors.invalidRequest("header", problems, { connection: "close" })
}

const problemsOf = (request: HttpServerRequest.HttpServerRequest): ReadonlyArray<Errors.Problem> => {
  const { headers, source } = request
  const problems = once.filter((name) => count(request, name) > 1).map((name) => ({
    path: [name],
    message: "may be sent only once"
  }))
  if (headers["host"] === undefined) {
    // Web requests have a URL instead, as HTTP/2 and HTTP/1.0 may have.
    if (isNodeRequest(source) && source.httpVersion === "1.1") problems.push({ path: ["host"], message: "is required" })
  } else if (!host.test(headers["host"])) problems.push({ path: ["host"], message: "must be a host name and a port" })
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && !/^[ \t]*chunked[ \t]*$/i.test(coding)) {
    problems.push({ path: ["transfer-encoding"], message: "may only be chunked" })
  }
  return problems
}
