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

const matches = ({ accounts, agents, callerIds, countries }: CallRoute, call: RoutedCall): boolean =>
  isAmong(accounts, call.accountId) && isAmong(agents, call.agentId) && isAmong(countries, call.country) &&
  isAmong(callerIds, call.callerId)

/** Whether the condition is absent, or met. */
const isAmong = <A>(allowed: ReadonlyArray<A> | undefined, value: A | undefined): boolean =>
  allowed === undefined || (value !== undefined && allowed.includes(value))
