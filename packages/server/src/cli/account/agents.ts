/** `outdial agents put FILE|list` */
import { type Agent, Agents } from "@outdial/core"
import { Effect } from "effect"
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
  Command.withSubcommands([put, list]),
  Command.provide(Admin.layer)
)
