/** Where this server has the console, and links to it. */
import { type AuditLog, ConsoleAccess, type ConsoleSession, type Errors } from "@outdial/core"
import type { Routes } from "@outdial/http"
import { Console, type DateTime, Effect, FileSystem, Path, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import * as OperatorAudit from "./OperatorAudit.ts"

/** Where the server serves the console. */
export const basePath = "/console"

/** Whether the URL of the request is one of the console's. */
const isForConsole = (url: string): boolean => url.split("?")[0] === basePath || url.startsWith(`${basePath}/`)

/** Serves the console, and everything else by the API. */
export const beside = (api: Routes.HttpEffect, console: Routes.HttpEffect): Routes.HttpEffect =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => isForConsole(url) ? console : api)

/** The address of a link, with its token behind the `#`, which browsers do not send and servers do not log. */
const addressOf = (publicUrl: string, token: Redacted.Redacted): string =>
  `${publicUrl}${basePath}/link#${Redacted.value(token)}`

/** The address of a fresh link, and until when it works. The audit log has who made it for whom. */
export const make = Effect.fnUntraced(function*(
  publicUrl: string,
  { actor, link }: { readonly actor: string; readonly link: ConsoleSession.NewLink }
): Effect.fn.Return<
  { readonly url: string; readonly expiresAt: DateTime.Utc },
  Errors.Unavailable,
  AuditLog.AuditLog | ConsoleAccess.ConsoleAccess
> {
  const access = yield* ConsoleAccess.ConsoleAccess
  const { accountId, name, role } = link
  const { expiresAt, token } = yield* OperatorAudit.audited(
    { actor, action: "console.link", details: { role, name }, ...(accountId !== undefined && { accountId }) },
    access.createLink(link),
    ({ id }) => ({ link: id })
  )
  return { url: addressOf(publicUrl, token), expiresAt }
})

/** The file of a data folder with the link of the latest start. Only its owner can read it. */
const file = "console-link"

/**
 * Gives the operator of a data folder a link for an admin: no other process can open the folder to make one. Prints it on a terminal; what
 * is not a terminal may be a log, so there it prints the name of a file that has it.
 */
export const announce = Effect.fnUntraced(function*(
  publicUrl: string,
  { folder, isTerminal }: { readonly folder: string; readonly isTerminal: boolean }
) {
  const files = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).join(folder, file)
  const { url } = yield* make(publicUrl, { actor: "outdial serve", link: { role: "admin", name: "operator" } })
  // Another start's, which would keep its mode.
  yield* files.remove(path, { force: true })
  if (!isTerminal) yield* files.writeFileString(path, `${url}\n`, { mode: 0o600 })
  yield* Console.log(`Open the console within ten minutes, once, by the link ${isTerminal ? url : `in ${path}`}`)
})
