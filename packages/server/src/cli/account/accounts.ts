/** `outdial accounts create|set|show|list` */
import { type Account, Accounts, Agents } from "@outdial/core"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as AccountForms from "./AccountForms.ts"
import * as Admin from "../Admin.ts"
import * as PolicyInput from "../policy/PolicyInput.ts"

const lines = Flag.Int("lines").pipe(
  Flag.withDescription("Maximum number of calls at once"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))),
  Flag.optional
)

const print = (json: boolean, account: Account.Account) =>
  Admin.print(json, AccountForms.toJson(account), [AccountForms.toLine(account)])

const create = Command.make(
  "create",
  {
    name: Argument.String("name").pipe(Argument.withSchema(Schema.NonEmptyString)),
    lines,
    ...PolicyInput.flags,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ json, lines, name, ...choice }) {
    const accounts = yield* Accounts.Accounts
    const policy = yield* PolicyInput.chosen({ ...choice, inForce: {}, agents: [] })
    yield* print(json, yield* accounts.create({ name, ...optional({ lines, policy }) }))
  })
).pipe(Command.withDescription("Add an account"))

const set = Command.make(
  "set",
  {
    account: Admin.accountFlag,
    name: Flag.String("name").pipe(Flag.withSchema(Schema.NonEmptyString), Flag.optional),
    lines,
    paused: Flag.Literals("paused", ["true", "false"]).pipe(
      Flag.withDescription("true stops dialing; calls stay queued"),
      Flag.optional
    ),
    ...PolicyInput.flags,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, json, lines, name, paused, ...choice }) {
    const accounts = yield* Accounts.Accounts
    const { id, policy: inForce } = yield* Admin.account(account)
    const agents = yield* Agents.Agents
    const policy = yield* PolicyInput.chosen({ ...choice, inForce, agents: yield* agents.list(id) })
    const settings = optional({ lines, name, paused: Option.map(paused, (text) => text === "true"), policy })
    yield* print(json, yield* accounts.set(id, settings))
  })
).pipe(Command.withDescription("Change an account; settings without a flag stay as they are"))

const show = Command.make(
  "show",
  { account: Admin.accountFlag, json: Admin.json },
  Effect.fnUntraced(function*({ account, json }) {
    const accounts = yield* Accounts.Accounts
    const shown = yield* Admin.account(account)
    const allPaused = yield* accounts.allPaused
    yield* Admin.print(json, AccountForms.toFullJson(shown, allPaused), AccountForms.toLines(shown, allPaused))
  })
).pipe(Command.withDescription("Show an account and its policy, as written and with every default filled in"))

const list = Command.make(
  "list",
  { json: Admin.json },
  Effect.fnUntraced(function*({ json }) {
    const accounts = yield* Accounts.Accounts
    const all = yield* accounts.list
    const allPaused = yield* accounts.allPaused
    yield* Admin.print(json, all.map((account) => ({ ...AccountForms.toJson(account), all_paused: allPaused })), [
      ...all.map(AccountForms.toLine),
      ...(allPaused ? [AccountForms.allPausedLine] : [])
    ])
  })
).pipe(Command.withDescription("List the accounts, oldest first"))

/** The settings that were given. */
const optional = <A extends Record<string, Option.Option<unknown>>>(options: A) =>
  // Each value is the one inside its option, under the same key.
  Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) => (Option.isSome(value) ? [[key, value.value]] : []))
  ) as { readonly [K in keyof A]?: Option.Option.Value<A[K]> }

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage accounts"),
  Command.withSubcommands([create, set, show, list]),
  Command.provide(Admin.layer)
)
