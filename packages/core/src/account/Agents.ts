/** The agents of an account. Managed by the host and the command line; over HTTP they can be listed. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Agent, AgentDefinition } from "../domain/Agent.ts"
import { InvalidRequest, NotFound, type Unavailable } from "../domain/Errors.ts"
import { type AccountId, type AgentId, makeAgentId } from "../domain/Ids.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { AgentStore } from "./AgentStore.ts"

export class Agents extends Context.Service<Agents, {
  /** Adds an agent, or a new version of the one with its id. Calls that wait keep the version they were accepted with. */
  readonly put: (accountId: AccountId, agent: AgentDefinition) => Effect.Effect<Agent, Unavailable>
  readonly get: (accountId: AccountId, id: AgentId) => Effect.Effect<Agent, NotFound | Unavailable>
  /** The one agent of that name; fails when there is none, and when several have it. */
  readonly byName: (accountId: AccountId, name: string) => Effect.Effect<Agent, InvalidRequest | NotFound | Unavailable>
  /** Newest first. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Agent>, Unavailable>
}>()("@outdial/core/account/Agents") {
  static readonly layer = Layer.effect(
    Agents,
    Effect.gen(function*() {
      const agentStore = yield* AgentStore
      const random = yield* SecureRandom.SecureRandom
      return Agents.of({
        put: Effect.fn("Agents.put")(function*(accountId, agent) {
          const id = agent.id ?? (yield* makeAgentId.pipe(Effect.provideService(SecureRandom.SecureRandom, random)))
          const now = yield* DateTime.now
          return yield* orUnavailable(agentStore.put({ accountId, agent: { ...agent, id }, now }))
        }),
        get: Effect.fn("Agents.get")(function*(accountId, id) {
          const found = yield* orUnavailable(agentStore.get(accountId, id))
          return Option.isSome(found) ? found.value : yield* new NotFound({ what: `agent ${id}` })
        }),
        byName: Effect.fn("Agents.byName")(function*(accountId, name) {
          const namesakes = (yield* orUnavailable(agentStore.list(accountId))).filter((agent) => agent.name === name)
          const [found, ...others] = namesakes
          if (found === undefined) return yield* new NotFound({ what: `agent named ${JSON.stringify(name)}` })
          if (others.length > 0) return yield* severalAgents(namesakes)
          return found
        }),
        list: Effect.fn("Agents.list")((accountId) => orUnavailable(agentStore.list(accountId)))
      })
    })
  )
}

const severalAgents = (agents: ReadonlyArray<Agent>) =>
  new InvalidRequest({
    problems: [{
      path: ["name"],
      message: `is the name of several agents; use one of their ids: ${agents.map(({ id }) => id).join(", ")}`
    }]
  })
