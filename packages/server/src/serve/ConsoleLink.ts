/** Where this server has the console, and links to it. */
import { ConsoleAccess, type ConsoleSession } from "@outdial/core"
import type { Routes } from "@outdial/http"
import { Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"

/** Where the server serves the console. */
export const basePath = "/console"

/** Whether the URL of the request is one of the console's. */
const isForConsole = (url: string): boolean => url.split("?")[0] === basePath || url.startsWith(`${basePath}/`)

/** Serves the console, and everything else by the API. */
export const beside = (api: Routes.HttpEffect, console: Routes.HttpEffect): Routes.HttpEffect =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => isForConsole(url) ? console : api)

/** The address of a link, with its token behind the `#`, which browsers do not send and servers do not log. */
export const addressOf = (publicUrl: string, token: Redacted.Redacted): string =>
  `${publicUrl}${basePath}/link#${Redacted.value(token)}`

/** A fresh link. */
export const make: (
  publicUrl: string,
  link: ConsoleSession.NewLink
) => Effect.Effect<string, Failure, ConsoleAccess.ConsoleAccess> = Effect.fnUntraced(function*(publicUrl, link) {
  const access = yield* ConsoleAccess.ConsoleAccess
  const { token } = yield* access.createLink(link)
  return addressOf(publicUrl, token)
})

type Failure = Effect.Error<ReturnType<ConsoleAccess.ConsoleAccess["Service"]["createLink"]>>
