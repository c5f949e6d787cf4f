/** `outdial accounts create|set|list` */
import { type Account, Accounts } from "@outdial/core"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Admin from "./Admin.ts"

const lines = Flag.Int("lines").pipe(
  Flag.withDescription("Calls at once"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))),
  Flag.optional
)

const toJson = ({ createdAt, id, lines, name, paused }: Account.Account) => ({
  id,
  name,
  lines,
  paused,
  created_at: createdAt.toJSON()
})

const toLine = ({ id, lines, name, paused }: Account.Account) =>
  `${id}  ${name}  ${lines} lines${paused ? "  paused" : ""}`

const print = (json: boolean, account: Account.Account) => Admin.print(json, toJson(account), [toLine(account)])

const create = Command.make(
  "create",
  { name: Argument.String("name").pipe(Argument.withSchema(Schema.NonEmptyString)), lines, json: Admin.json },
  Effect.fnUntraced(function*({ json, lines, name }) {
    const accounts = yield* Accounts.Accounts
    yield* print(json, yield* accounts.create({ name, ...optional({ lines }) }))
  })
).pipe(Command.withDescription("Add an account"))

const set = Command.make(
  "set",
  {
    account: Admin.accountFlag,
    name: Flag.String("name").pipe(Flag.withSchema(Schema.NonEmptyString), Flag.optional),
    lines,
    paused: Flag.Literals("paused", ["true", "false"]).pipe(
      Flag.withDescription("true: no call is dialed, calls wait"),
      Flag.optional
    ),
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, json, lines, name, paused }) {
    const accounts = yield* Accounts.Accounts
    const { id } = yield* Admin.account(account)
    const settings = optional({ lines, name, paused: Option.map(paused, (text) => text === "true") })
    yield* print(json, yield* accounts.set(id, settings))
  })
).pipe(Command.withDescription("Change an account; what is not named stays"))

const list = Command.make(
  "list",
  { json: Admin.json },
  Effect.fnUntraced(function*({ json }) {
    const accounts = yield* Accounts.Accounts
    const all = yield* accounts.list
    yield* Admin.print(json, all.map(toJson), all.map(toLine))
  })
).pipe(Command.withDescription("List the accounts, oldest first"))

/** Only the settings that were given. */
const optional = <A extends Record<string, Option.Option<unknown>>>(options: A) =>
  // Each value is the one inside its option, under the same key.
  Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) => (Option.isSome(value) ? [[key, value.value]] : []))
  ) as { readonly [K in keyof A]?: Option.Option.Value<A[K]> }

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage accounts"),
  Command.withSubcommands([create, set, list]),
  Command.provide(Admin.layer)
)
