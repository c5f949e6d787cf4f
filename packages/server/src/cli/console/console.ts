/** `outdial console link|sessions|revoke` */
import { ConsoleAccess, ConsoleRole, ConsoleSession, Errors, Ids } from "@outdial/core"
import { Pglite } from "@outdial/sql"
import { DateTime, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Admin from "../Admin.ts"
import * as Config from "../../config/Config.ts"
import { UsageError } from "../../config/UsageError.ts"
import * as ConsoleLink from "../../serve/ConsoleLink.ts"
import * as OperatorAudit from "../../serve/OperatorAudit.ts"

const actor = "command line"

const link = Command.make(
  "link",
  {
    role: Flag.Literals("role", ConsoleRole.Role.literals).pipe(
      Flag.withDescription("What the user may do"),
      Flag.withDefault("operator" as const)
    ),
    name: Flag.String("name").pipe(
      Flag.withSchema(ConsoleSession.UserName),
      Flag.withDescription("Name of the user, for the list of sessions and the audit log; default: the role"),
      Flag.optional
    ),
    account: Flag.String("account").pipe(
      Flag.withSchema(Ids.AccountId),
      Flag.withDescription("Id of the only account that the user sees; default: all accounts"),
      Flag.optional
    ),
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, json, name, role }) {
    const publicUrl = yield* Admin.readable(Config.servedAt)
    if (Option.isSome(account)) yield* Admin.account(account)
    const user = {
      role,
      name: Option.getOrElse(name, () => role),
      ...(Option.isSome(account) && { accountId: account.value })
    }
    const { expiresAt, url } = yield* ConsoleLink.make(publicUrl, { actor, link: user })
    yield* Admin.print(json, { url, role, name: user.name, expires_at: expiresAt.toJSON() }, [
      url,
      `It works once, until ${DateTime.formatIso(expiresAt)}.`
    ])
  })
).pipe(Command.withDescription("Print a link to the console, which works once, for ten minutes"))

const toJson = ({ accountId, createdAt, expiresAt, id, lastUsedAt, name, role }: ConsoleSession.ConsoleSession) => ({
  id,
  role,
  name,
  account_id: accountId ?? null,
  created_at: createdAt.toJSON(),
  expires_at: expiresAt.toJSON(),
  last_used_at: lastUsedAt.toJSON()
})

const toLine = ({ accountId, expiresAt, id, lastUsedAt, name, role }: ConsoleSession.ConsoleSession) =>
  [
    id,
    role,
    name,
    accountId ?? "all accounts",
    `used ${DateTime.formatIso(lastUsedAt)}`,
    `until ${DateTime.formatIso(expiresAt)}`
  ].join("  ")

const sessions = Command.make(
  "sessions",
  { json: Admin.json },
  Effect.fnUntraced(function*({ json }) {
    const access = yield* ConsoleAccess.ConsoleAccess
    const all = yield* access.sessions
    yield* Admin.print(json, all.map(toJson), all.length === 0 ? ["There are no sessions"] : all.map(toLine))
  })
).pipe(Command.withDescription("List the sessions of the console, newest first"))

const revoke = Command.make(
  "revoke",
  { id: Argument.String("id").pipe(Argument.withSchema(Ids.ConsoleSessionId)), json: Admin.json },
  Effect.fnUntraced(function*({ id, json }) {
    const access = yield* ConsoleAccess.ConsoleAccess
    const revoke = Effect.gen(function*() {
      if (!(yield* access.revoke(id))) return yield* new Errors.NotFound({ what: `session ${id}` })
    })
    yield* OperatorAudit.audited({ actor, action: "session.revoke", target: id, details: {} }, revoke)
    return yield* Admin.print(json, { id, revoked: true }, [`${id} is revoked`])
  })
).pipe(Command.withDescription("End a session of the console"))

/** What to do where the server that is running has the data folder. */
const advised = (error: unknown) =>
  error instanceof Pglite.DataFolderUnavailable && error.reason === "in_use"
    ? new UsageError({
      message:
        `The data folder ${error.dataDir} is open in process ${error.holder?.pid} on ${error.holder?.host}. A server that runs on a data folder ` +
        `gives access itself: open its console as an admin, and create a link or end a session on the page Sessions. If no admin has a ` +
        `session, restart the server: it makes a link for an admin at its start`
    })
    : error

export const console = Command.make("console").pipe(
  Command.withDescription("Give access to the console, and take it away"),
  Command.withSubcommands([link, sessions, revoke]),
  Command.provide(Layer.catch(Admin.layer, (error) => Layer.effectContext(Effect.fail(advised(error)))))
)
