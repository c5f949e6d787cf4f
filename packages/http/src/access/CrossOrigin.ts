/**
 * Cross-site request forgery: whether a browser sent a request on behalf of a page of another origin. A host that knows its
 * users by a cookie needs the check, because browsers send cookies with such requests, too. Requests that browsers did not send
 * have neither header and pass.
 */
import { OutdialError } from "@outdial/core"
import type { HttpServerRequest } from "effect/http"

/** Methods that change nothing. */
const safeMethods: ReadonlyArray<string> = ["GET", "HEAD", "OPTIONS"]

type Sent = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method" | "originalUrl">

/** Whether a page of another origin that is not allowed sent a request that may change data. */
export const isForged = ({ headers, method, originalUrl }: Sent, allowed: ReadonlySet<string>): boolean => {
  if (safeMethods.includes(method)) return false
  const { host, origin, "sec-fetch-site": site } = headers
  if (origin !== undefined && allowed.has(origin)) return false
  // Checked first, because it is correct behind a proxy that rewrites Host. `none` is a user's action, such as a bookmark.
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  // Browsers before 2023 send Origin alone; constructed web requests have no Host header.
  return origin !== undefined && !isOf(origin, host ?? hostOf(originalUrl))
}

/** Whether the origin is that of the host. The scheme is not compared: a proxy that ends TLS does not pass it on. */
const isOf = (origin: string, host: string): boolean => {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false
  const { host: ofOrigin, protocol } = new URL(origin)
  const own = `${protocol}//${host}`
  // A Host header may contain the default port; `URL` removes it.
  return URL.canParse(own) && new URL(own).host === ofOrigin
}

const hostOf = (url: string) => URL.canParse(url) ? new URL(url).host : ""

/** The origins as browsers send them. Throws for text that is not one, which would never match. */
export const originsUnsafe = (origins: ReadonlyArray<string>): ReadonlySet<string> => {
  for (const origin of origins) {
    if (/^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin) continue
    throw new OutdialError(
      "invalid_request",
      `allowedOrigins must be origins such as https://app.example.com, without a path; ${
        JSON.stringify(origin)
      } is not`,
      {},
      undefined
    )
  }
  return new Set(origins)
}
