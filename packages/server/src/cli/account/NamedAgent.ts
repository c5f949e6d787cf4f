/** The agent that a command was given: a file, or the id or the name of a stored agent. */
import { Agents, Ids } from "@outdial/core"
import { Effect, FileSystem, type Option, Schema } from "effect"
import { Flag } from "effect/cli"
import * as Admin from "../Admin.ts"
import * as AgentFile from "./AgentFile.ts"

export const flags = {
  agent: Flag.String("agent").pipe(
    Flag.withMetavar("FILE|ID|NAME"),
    Flag.withDescription("The agent: a JSON file as of outdial agents put, or the id or the name of a stored agent")
  ),
  account: Admin.accountFlag
}

/** What stands for a name must not look like a file, so that a misspelled file is reported as one. */
export const read = Effect.fnUntraced(function*({ account, agent: named }: {
  readonly agent: string
  readonly account: Option.Option<Ids.AccountId>
}) {
  const isId = Schema.is(Ids.AgentId)(named.toLowerCase())
  if (!isId && (/[./\\]/u.test(named) || named === "-" || (yield* exists(named)))) return yield* AgentFile.read(named)
  return yield* Effect.gen(function*() {
    const agents = yield* Agents.Agents
    const { id } = yield* Admin.account(account)
    const { createdAt: _, updatedAt: __, version: ___, ...agent } = yield* isId
      ? agents.get(id, Ids.AgentId.make(named.toLowerCase()))
      : agents.byName(id, named)
    return agent
  }).pipe(Effect.provide(Admin.layer))
})

const exists = Effect.fnUntraced(function*(file: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.orElseSucceed(files.exists(file), () => false)
})
