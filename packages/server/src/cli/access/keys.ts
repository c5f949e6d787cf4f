/** `outdial keys create|list|revoke` */
import { ApiKey, ApiKeys, Errors, Ids, Timestamp } from "@outdial/core"
import { DateTime, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Admin from "../Admin.ts"
import { UsageError } from "../../config/UsageError.ts"

const toJson = ({ createdAt, expiresAt, id, lastUsedAt, name, revokedAt, scopes }: ApiKey.ApiKey) => ({
  id,
  name,
  scopes,
  created_at: createdAt.toJSON(),
  ...(expiresAt !== undefined && { expires_at: expiresAt.toJSON() }),
  ...(revokedAt !== undefined && { revoked_at: revokedAt.toJSON() }),
  ...(lastUsedAt !== undefined && { last_used_at: lastUsedAt.toJSON() })
})

const toLine = ({ expiresAt, id, lastUsedAt, name, revokedAt, scopes }: ApiKey.ApiKey) =>
  [
    id,
    name,
    scopes.join(","),
    ...(lastUsedAt === undefined ? [] : [`used ${DateTime.formatIso(lastUsedAt)}`]),
    ...(expiresAt === undefined ? [] : [`until ${DateTime.formatIso(expiresAt)}`]),
    ...(revokedAt === undefined ? [] : ["revoked"])
  ].join("  ")

const create = Command.make(
  "create",
  {
    account: Admin.accountFlag,
    name: Flag.String("name").pipe(
      Flag.withDescription("A name that says what the key is for"),
      Flag.withDefault("key")
    ),
    scope: Flag.Literals("scope", ApiKey.Scope.literals).pipe(
      Flag.withDescription("A permission of the key; may be repeated"),
      Flag.atLeast(1)
    ),
    expires: Flag.String("expires").pipe(
      Flag.withSchema(Timestamp.Timestamp),
      Flag.withDescription("When the key expires, such as 2027-01-01T00:00:00Z; default: never"),
      Flag.optional
    ),
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, expires, json, name, scope }) {
    const apiKeys = yield* ApiKeys.ApiKeys
    const scopes = [...new Set(scope)]
    const { key, secret } = yield* apiKeys.create((yield* Admin.account(account)).id, {
      name,
      scopes,
      ...(Option.isSome(expires) && { expiresAt: expires.value })
    }).pipe(
      // No other part of this request can be rejected.
      Effect.catchTag(
        "InvalidRequest",
        () => Effect.fail(new UsageError({ message: "--expires must be in the future" }))
      )
    )
    const apiKey = Redacted.value(secret)
    yield* Admin.print(json, { ...toJson(key), api_key: apiKey }, [
      toLine(key),
      apiKey,
      "This is the only time that the key is shown."
    ])
  })
).pipe(Command.withDescription("Create an API key; it is shown only once"))

const list = Command.make(
  "list",
  { account: Admin.accountFlag, json: Admin.json },
  Effect.fnUntraced(function*({ account, json }) {
    const apiKeys = yield* ApiKeys.ApiKeys
    const all = yield* apiKeys.list((yield* Admin.account(account)).id)
    yield* Admin.print(json, all.map(toJson), all.map(toLine))
  })
).pipe(Command.withDescription("List an account's keys, newest first, with the time of their last use"))

const revoke = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(Argument.withSchema(Ids.ApiKeyId)),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, id, json }) {
    const apiKeys = yield* ApiKeys.ApiKeys
    const found = yield* apiKeys.revoke((yield* Admin.account(account)).id, id)
    if (!found) return yield* new Errors.NotFound({ what: `key ${id}` })
    return yield* Admin.print(json, { id, revoked: true }, [`${id} is revoked`])
  })
).pipe(Command.withDescription("Revoke a key; safe to repeat"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("Manage API keys"),
  Command.withSubcommands([create, list, revoke]),
  Command.provide(Admin.layer)
)
