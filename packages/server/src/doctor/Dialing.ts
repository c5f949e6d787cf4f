/** What the accounts of the database ask of the carriers. */
import { type Agent, type Ids, type PhoneNumber, Routing, Storage } from "@outdial/core"
import type { CallRoute } from "@outdial/core"
import { Effect } from "effect"

/** The accounts, with their agents. */
export type Dialing = ReadonlyArray<{
  readonly id: Ids.AccountId
  /** How many calls it may have at once. */
  readonly lines: number
  readonly agents: ReadonlyArray<Pick<Agent.Agent, "callerId" | "id">>
}>

export const none: Dialing = []

export const read = Effect.gen(function*() {
  const accounts = yield* (yield* Storage.AccountStore).list
  const { list } = yield* Storage.AgentStore
  return yield* Effect.forEach(accounts, ({ id, lines }) => Effect.map(list(id), (agents) => ({ id, lines, agents })))
})

/** What one carrier is asked for. */
export interface CarrierDialing {
  /** The numbers that all calls of an agent show, each once; they go over this carrier. */
  readonly always: ReadonlyArray<PhoneNumber.PhoneNumber>
  /** Those that calls may show here, by their country or because another carrier is unavailable. */
  readonly sometimes: ReadonlyArray<PhoneNumber.PhoneNumber>
  /** How many calls the accounts may have at once whose calls may go over it. One without agents may have some later. */
  readonly lines: number
}

export const over = (carrier: Ids.CarrierName, routing: CallRoute.CallRouting, dialing: Dialing): CarrierDialing => {
  const [always, sometimes] = [new Set<PhoneNumber.PhoneNumber>(), new Set<PhoneNumber.PhoneNumber>()]
  let lines = 0
  for (const account of dialing) {
    const carriers = account.agents.map(({ callerId, id: agentId }) => {
      const agent = { accountId: account.id, agentId, ...(callerId !== undefined && { callerId }) }
      return { callerId, ...Routing.carriersOfAgent(routing, agent) }
    })
    for (const agent of carriers) {
      if (agent.callerId === undefined) continue
      if (agent.always === carrier) always.add(agent.callerId)
      else if (agent.possible.has(carrier)) sometimes.add(agent.callerId)
    }
    if (carriers.length === 0 || carriers.some(({ possible }) => possible.has(carrier))) lines += account.lines
  }
  return { always: [...always], sometimes: [...sometimes].filter((number) => !always.has(number)), lines }
}
