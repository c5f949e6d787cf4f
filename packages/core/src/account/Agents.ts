/** The agents of an account. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Agent, AgentDefinition } from "../domain/Agent.ts"
import { InvalidRequest, NotFound, type Problem, type Unavailable } from "../domain/Errors.ts"
import { type AccountId, type AgentId, makeAgentId } from "../domain/Ids.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { ModelNames, ToolNames } from "./AgentNames.ts"
import { AgentStore, type AgentVersion } from "./AgentStore.ts"

export type { AgentVersion } from "./AgentStore.ts"

export class Agents extends Context.Service<Agents, {
  /**
   * Adds an agent, or a new version of the one with its id. Calls that wait keep the version they were accepted with. An archived agent can
   * be used again. Fails if it names a tool or a model that this deployment does not have, where this process knows them.
   */
  readonly put: (accountId: AccountId, agent: AgentDefinition) => Effect.Effect<Agent, InvalidRequest | Unavailable>
  /** Fails if the agent names a tool or a model that this deployment does not have, where this process knows them. */
  readonly check: (agent: Pick<AgentDefinition, "model" | "tools">) => Effect.Effect<void, InvalidRequest>
  /** Calls can no longer be started with the agent. Calls that wait are made. Safe to repeat. */
  readonly archive: (accountId: AccountId, id: AgentId) => Effect.Effect<Agent, NotFound | Unavailable>
  /** Archived agents, too. */
  readonly get: (accountId: AccountId, id: AgentId) => Effect.Effect<Agent, NotFound | Unavailable>
  /** The one agent of that name that is not archived; fails when there is none, and when several have it. */
  readonly byName: (accountId: AccountId, name: string) => Effect.Effect<Agent, InvalidRequest | NotFound | Unavailable>
  /** Newest first, without archived agents. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Agent>, Unavailable>
  /** The latest versions of the agent, newest first. */
  readonly versions: (
    accountId: AccountId,
    id: AgentId
  ) => Effect.Effect<ReadonlyArray<AgentVersion>, NotFound | Unavailable>
  /** The agent in this version. */
  readonly version: (
    accountId: AccountId,
    id: AgentId,
    version: number
  ) => Effect.Effect<Agent, NotFound | Unavailable>
}>()("@outdial/core/account/Agents") {
  static readonly layer = Layer.effect(
    Agents,
    Effect.gen(function*() {
      const agentStore = yield* AgentStore
      const random = yield* SecureRandom.SecureRandom
      const tools = yield* ToolNames
      const models = yield* ModelNames
      const check = Effect.fnUntraced(function*(agent: Pick<AgentDefinition, "model" | "tools">) {
        const [first, ...others] = [
          ...unknownNames(agent.tools ?? [], tools, (index) => ["tools", index]),
          ...unknownNames(agent.model === undefined ? [] : [agent.model], models, () => ["model"])
        ]
        if (first !== undefined) return yield* new InvalidRequest({ problems: [first, ...others] })
      })
      return Agents.of({
        check,
        put: Effect.fn("Agents.put")(function*(accountId, agent) {
          yield* check(agent)
          const id = agent.id ?? (yield* makeAgentId.pipe(Effect.provideService(SecureRandom.SecureRandom, random)))
          const now = yield* DateTime.now
          return yield* orUnavailable(agentStore.put({ accountId, agent: { ...agent, id }, now }))
        }),
        archive: Effect.fn("Agents.archive")(function*(accountId, id) {
          const now = yield* DateTime.now
          return yield* found(id, yield* orUnavailable(agentStore.archive({ accountId, id, now })))
        }),
        get: Effect.fn("Agents.get")(function*(accountId, id) {
          return yield* found(id, yield* orUnavailable(agentStore.get(accountId, id)))
        }),
        byName: Effect.fn("Agents.byName")(function*(accountId, name) {
          const namesakes = (yield* orUnavailable(agentStore.list(accountId))).filter((agent) => agent.name === name)
          const [found, ...others] = namesakes
          if (found === undefined) return yield* new NotFound({ what: `agent named ${JSON.stringify(name)}` })
          if (others.length > 0) return yield* severalAgents(namesakes)
          return found
        }),
        list: Effect.fn("Agents.list")((accountId) => orUnavailable(agentStore.list(accountId))),
        versions: Effect.fn("Agents.versions")(function*(accountId, id) {
          const versions = yield* orUnavailable(agentStore.versions(accountId, id))
          return versions.length === 0 ? yield* new NotFound({ what: `agent ${id}` }) : versions
        }),
        version: Effect.fn("Agents.version")(function*(accountId, id, version) {
          const agent = yield* orUnavailable(agentStore.version(accountId, id, version))
          return Option.isSome(agent)
            ? agent.value
            : yield* new NotFound({ what: `version ${version} of agent ${id}` })
        })
      })
    })
  )
}

const found = (id: AgentId, agent: Option.Option<Agent>) =>
  Option.isSome(agent) ? Effect.succeed(agent.value) : Effect.fail(new NotFound({ what: `agent ${id}` }))

const unknownNames = (
  names: ReadonlyArray<string>,
  known: Option.Option<ReadonlyArray<string>>,
  path: (index: number) => Problem["path"]
): ReadonlyArray<Problem> =>
  Option.match(known, {
    onNone: () => [],
    onSome: (known) =>
      names.flatMap((name, index) =>
        known.includes(name) ? [] : [{
          path: path(index),
          message: `is not known to this deployment; known are ${known.length === 0 ? "none" : known.join(", ")}`
        }]
      )
  })

const severalAgents = (agents: ReadonlyArray<Agent>) =>
  new InvalidRequest({
    problems: [{
      path: ["name"],
      message: `is the name of several agents; use one of their ids: ${agents.map(({ id }) => id).join(", ")}`
    }]
  })
