/**
 * Whether the headers of a request mean one thing to every program that reads them: the host, the length of the body and what may be
 * sent once. Refuses what proxies and servers read differently (RFC 9112 §3.2, §6.1), before any route is looked for.
 */
import type { Errors } from "@outdial/core"
import type { HttpServerRequest } from "effect/http"
import * as ApiErrors from "./ApiErrors.ts"

/** The part of Node's requests that shows each header line; web requests have the lines of a name joined. */
interface NodeRequest {
  readonly httpVersion: string
  readonly rawHeaders: ReadonlyArray<string>
}

const isNodeRequest = (source: object): source is NodeRequest =>
  "rawHeaders" in source && Array.isArray(source.rawHeaders) && "httpVersion" in source

/** How often the header was sent, as far as the platform shows it. */
export const count = ({ headers, source }: HttpServerRequest.HttpServerRequest, name: string): number => {
  if (!isNodeRequest(source)) return headers[name] === undefined ? 0 : 1
  return source.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}

/** Credentials are missing here: two of them are 401, which `Authorization` answers. */
const once = ["host", "content-type", "content-length", "idempotency-key"]

/** A name or an address, and a port (RFC 3986 §3.2.2). */
const host = /^(\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]*)(:\d*)?$/i

/** What is wrong with the headers, if anything is. */
export const problem = (
  request: HttpServerRequest.HttpServerRequest
): ApiErrors.ApiError<"invalid_request"> | undefined => {
  const problems = problemsOf(request)
  if (problems.length === 0) return undefined
  // Where the next request begins is not certain.
  return ApiErrors.invalidRequest("header", problems, { connection: "close" })
}

const problemsOf = (request: HttpServerRequest.HttpServerRequest): ReadonlyArray<Errors.Problem> => {
  const { headers, source } = request
  const problems = once.filter((name) => count(request, name) > 1).map((name) => ({
    path: [name],
    message: "may be sent only once"
  }))
  if (headers["host"] === undefined) {
    // Web requests have a URL in its place, as HTTP/2 and HTTP/1.0 may have.
    if (isNodeRequest(source) && source.httpVersion === "1.1") problems.push({ path: ["host"], message: "is required" })
  } else if (!host.test(headers["host"])) problems.push({ path: ["host"], message: "must be a host name and a port" })
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && !/^[ \t]*chunked[ \t]*$/i.test(coding)) {
    problems.push({ path: ["transfer-encoding"], message: "may only be chunked" })
  }
  return problems
}
