/** Chooses the carriers of a call by the routes of the process. Pure. */
import type { CallRoute, CallRouting } from "../../domain/CallRoute.ts"
import type { AccountId, AgentId, CarrierName } from "../../domain/Ids.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"

/** What routes ask about a call. */
export interface RoutedCall {
  readonly accountId: AccountId
  readonly agentId: AgentId
  /** Of the agent's version that the call was accepted with. */
  readonly callerId?: PhoneNumber
  /** Of the number that is called, if known. */
  readonly country?: string
}

/** The carrier of the call, and those that are tried in turn while it is unavailable. Each is named once. */
export const carriersOf = ({ otherwise, routes }: CallRouting, call: RoutedCall): ReadonlyArray<CarrierName> => {
  const route = routes.find((route) => matches(route, call))
  return route === undefined ? [otherwise] : [...new Set([route.carrier, ...route.failover ?? []])]
}

/** The carriers that the calls of an agent may go over, to whatever country. */
export interface AgentCarriers {
  /** The carrier of all its calls; none if that depends on the country of the number that is called. */
  readonly always: CarrierName | undefined
  /** All of them, with those that are tried while another one is unavailable. */
  readonly possible: ReadonlySet<CarrierName>
}

export const carriersOfAgent = (
  { otherwise, routes }: CallRouting,
  agent: Omit<RoutedCall, "country">
): AgentCarriers => {
  const matching = routes.filter(({ countries: _, ...route }) => matches(route, agent))
  const last = matching.findIndex(({ countries }) => countries === undefined)
  const chosen: ReadonlyArray<CallRoute> = last === -1
    ? [...matching, { carrier: otherwise }]
    : matching.slice(0, last + 1)
  const [first, ...others] = new Set(chosen.map(({ carrier }) => carrier))
  return {
    always: others.length === 0 ? first : undefined,
    possible: new Set(chosen.flatMap(({ carrier, failover = [] }) => [carrier, ...failover]))
  }
}

const matches = ({ accounts, agents, callerIds, countries }: CallRoute, call: RoutedCall): boolean =>
  isAmong(accounts, call.accountId) && isAmong(agents, call.agentId) && isAmong(countries, call.country) &&
  isAmong(callerIds, call.callerId)

/** Whether the condition is absent, or met. */
const isAmong = <A>(allowed: ReadonlyArray<A> | undefined, value: A | undefined): boolean =>
  allowed === undefined || (value !== undefined && allowed.includes(value))
