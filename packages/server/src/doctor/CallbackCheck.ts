/**
 * Asks the deployment for a callback of its carrier, through the public URL: what answers a request without a signature with Outdial's
 * refusal is Outdial. The carrier's own network may take another way.
 */
import { Effect, Option, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { failed, type Finding, ok, warning } from "./Finding.ts"

/** As long as a carrier waits for the response to a callback. */
const timeout = "10 seconds"

export interface Callback {
  readonly carrier: "telnyx" | "twilio"
  /** One of the carrier's callbacks. */
  readonly path: string
  /** Without a slash at the end. */
  readonly publicUrl: string
}

export const finding = Effect.fnUntraced(
  function*({ carrier, path, publicUrl }: Callback) {
    const client = yield* HttpClient.HttpClient
    const response = yield* client.execute(HttpClientRequest.post(`${publicUrl}/carriers/${carrier}/${path}/doctor`))
    const body = yield* response.text
    return judge({ carrier, publicUrl }, { status: response.status, location: response.headers["location"], body })
  },
  (work, { publicUrl }) =>
    work.pipe(
      Effect.timeout(timeout),
      Effect.catch((error) => Effect.succeed(silent(publicUrl, reasonOf(error)))),
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.provide(FetchHttpClient.layer)
    )
)

interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
}

/** Statuses of proxies and tunnels that have nothing behind them. */
const nothingBehind: ReadonlySet<number> = new Set([502, 503, 504, 521, 522, 523, 530])

const judge = (
  { carrier, publicUrl }: Omit<Callback, "path">,
  { body, location, status }: Answer
): Finding => {
  if (status === 403 && Option.isSome(decodeRefusal(body))) {
    return ok("callbacks", `Those of ${carrier} are taken at ${publicUrl}`)
  }
  if (nothingBehind.has(status)) return silent(publicUrl, `status ${status}`)
  if (location !== undefined) {
    return failed(
      "callbacks",
      `${publicUrl} redirects to another address, for which the carrier's signatures are not. Set OUTDIAL_PUBLIC_URL to where it leads`
    )
  }
  return failed(
    "callbacks",
    `${publicUrl}/carriers/${carrier} is answered with status ${status}, and not by a process of Outdial that dials. Send its paths to one`
  )
}

/** Before the first start it is as it should be. */
const silent = (publicUrl: string, reason: string): Finding =>
  warning(
    "callbacks",
    `Nothing answers at ${publicUrl} (${reason}). Start outdial serve and run outdial doctor again; if it runs, the carrier does not reach it`
  )

const decodeRefusal = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ code: Schema.Literal("forbidden") }) }))
)

/** The code of the deepest cause that has one. */
const reasonOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return "no response"
  const inner = "cause" in error ? error.cause : "reason" in error ? error.reason : undefined
  if (inner !== undefined && inner !== error) return reasonOf(inner)
  return "code" in error && typeof error.code === "string" ? error.code : "no response"
}
