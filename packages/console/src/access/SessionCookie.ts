/** The cookie of a session. Scripts cannot read it, and no other site's page sends it. */
import { ConsoleSession } from "@outdial/core"
import { Duration, Option, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

export const name = "outdial_console"

/** Where the console is, for its cookie. */
export interface Site {
  /** Its path as browsers see it, such as `/console`. */
  readonly path: string
  /** Whether the deployment's public URL is https. */
  readonly isHttps: boolean
}

/** The token of the request's session, if it has one. Two cookies of the name, which another path could set, count as none. */
export const token = ({ cookies, headers }: HttpServerRequest.HttpServerRequest): Option.Option<Redacted.Redacted> => {
  const sent = (headers["cookie"] ?? "").split(";").filter((pair) => pair.trim().startsWith(`${name}=`))
  const value = cookies[name]
  return value === undefined || sent.length !== 1 ? Option.none() : Option.some(Redacted.make(value))
}

/**
 * Sets the cookie. It is `Secure` where the browser uses https: by the deployment's public URL, or by the origin of the request, which
 * is right behind a proxy, too.
 */
export const set = (
  response: HttpServerResponse.HttpServerResponse,
  request: HttpServerRequest.HttpServerRequest,
  { site, token }: { readonly site: Site; readonly token: Redacted.Redacted | undefined }
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setCookieUnsafe(response, name, token === undefined ? "" : Redacted.value(token), {
    httpOnly: true,
    sameSite: "strict",
    secure: site.isHttps || request.headers["origin"]?.startsWith("https://") === true,
    path: site.path,
    maxAge: token === undefined ? Duration.zero : ConsoleSession.sessionTtl
  })
