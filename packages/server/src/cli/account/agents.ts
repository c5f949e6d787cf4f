/** `outdial agents put FILE|list` */
import { Agent, Agents, Decoding, Wire } from "@outdial/core"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Admin from "../Admin.ts"

/** Agents are written in JSON with the field names of the HTTP interface. */
const decode = Decoding.decoding(Wire.snakeKeys(Agent.AgentDefinition))

const toJson = ({ dispositions, id, name, version }: Agent.Agent) => ({ id, name, version, dispositions })

const toLine = ({ id, name, version }: Agent.Agent) => `${id}  ${name}  version ${version}`

const put = Command.make(
  "put",
  {
    file: Argument.FileParse("file", { format: "json" }),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, file, json }) {
    const agents = yield* Agents.Agents
    const definition = yield* decode(file)
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
