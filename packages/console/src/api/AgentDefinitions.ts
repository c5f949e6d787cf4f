/** Agents as requests of the console give them: a stored one, or a definition in the form of a file. */
import { Agent, type Agents, Decoding, Errors, type Ids, Wire } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { CurrentConsoleUser } from "../access/CurrentConsoleUser.ts"

/** Every problem has its path. */
export const decode = Decoding.decoding(Wire.snakeKeys(Agent.AgentContent))

/** What is chosen by a request: exactly one of the two. */
export interface Choice {
  readonly agentId?: Ids.AgentId
  readonly definition?: unknown
}

/**
 * The agent that is chosen. Paths of problems begin with the field of the request. A definition names tools and models of the host, so that
 * only admins may bring one, as only they may save one.
 */
export const chosen = Effect.fnUntraced(function*(
  agents: Agents.Agents["Service"],
  account: Ids.AccountId,
  { agentId, definition }: Choice
) {
  if ((agentId === undefined) === (definition === undefined)) return yield* oneOfTwo
  if (agentId !== undefined) return definitionOf(yield* agents.get(account, agentId))
  const { role } = yield* CurrentConsoleUser
  if (role !== "admin") return yield* ApiErrors.insufficientRole("admin")
  const agent = yield* decode(definition).pipe(
    Effect.tap((agent) => agents.check(agent)),
    Effect.mapError(inDefinition)
  )
  return agent
}, Effect.mapError((error) => error instanceof ApiErrors.ApiError ? error : ApiErrors.from(error)))

/** The content of a stored agent. */
export const definitionOf = (
  { archivedAt: _, createdAt: __, id: ___, updatedAt: ____, version: _____, ...content }: Agent.Agent
): typeof Agent.AgentContent.Type => content

const oneOfTwo = new Errors.InvalidRequest({
  problems: [{ path: ["agentId"], message: "is required, or definition, and not both" }]
})

const inDefinition = ({ problems: [first, ...others] }: Errors.InvalidRequest): Errors.InvalidRequest => {
  const inside = ({ message, path }: Errors.Problem): Errors.Problem => ({ path: ["definition", ...path], message })
  return new Errors.InvalidRequest({ problems: [inside(first), ...others.map(inside)] })
}
