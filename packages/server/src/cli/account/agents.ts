/** `outdial agents put FILE|list|archive ID` */
import { type Agent, Agents, Ids } from "@outdial/core"
import { Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as Admin from "../Admin.ts"
import * as AgentFile from "./AgentFile.ts"

const toJson = ({ dispositions, id, name, version }: Agent.Agent) => ({ id, name, version, dispositions })

const toLine = ({ id, name, version }: Agent.Agent) => `${id}  ${name}  version ${version}`

const put = Command.make(
  "put",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The agent in JSON; - reads standard input")),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, file, json }) {
    const agents = yield* Agents.Agents
    const definition = yield* AgentFile.read(file)
    const agent = yield* agents.put((yield* Admin.account(account)).id, definition)
    yield* Admin.print(json, toJson(agent), [toLine(agent)])
  })
).pipe(Command.withDescription(
  "Add an agent from a JSON file, or a new version of the agent with the file's id; queued calls keep their version"
))

const archive = Command.make(
  "archive",
  {
    id: Argument.String("id").pipe(
      Argument.withMetavar("ID|NAME"),
      Argument.withDescription("The agent's id or its name")
    ),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, id: named, json }) {
    const agents = yield* Agents.Agents
    const accountId = (yield* Admin.account(account)).id
    const id = Schema.is(Ids.AgentId)(named.toLowerCase())
      ? Ids.AgentId.make(named.toLowerCase())
      : (yield* agents.byName(accountId, named)).id
    const agent = yield* agents.archive(accountId, id)
    yield* Admin.print(json, toJson(agent), [`${toLine(agent)}  archived`])
  })
).pipe(Command.withDescription(
  "Archive an agent: no call can be started with it; queued calls are made. agents put with its id undoes it"
))

const list = Command.make(
  "list",
  { account: Admin.accountFlag, json: Admin.json },
  Effect.fnUntraced(function*({ account, json }) {
    const agents = yield* Agents.Agents
    const all = yield* agents.list((yield* Admin.account(account)).id)
    yield* Admin.print(json, all.map(toJson), all.map(toLine))
  })
).pipe(Command.withDescription("List an account's agents, newest first"))

export const agents = Command.make("agents").pipe(
  Command.withDescription("Manage agents"),
  Command.withSubcommands([put, list, archive]),
  Command.provide(Admin.layer)
)
