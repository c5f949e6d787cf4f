/** Which calls go over which carrier, in a deployment with several. Configuration of a process, not stored. */
import { Schema } from "effect"
import { AccountId, AgentId, CarrierName } from "./Ids.ts"
import { PhoneNumberText } from "./PhoneNumber.ts"
import { CountryCode } from "./Policy.ts"

const anyOf = <S extends Schema.Top>(values: S) =>
  Schema.Array(values).check(Schema.isMinLength(1, { message: "must have at least one value" }))

/**
 * A route. It matches a call that meets all of its conditions, and every call if it has none; the first route that matches is the call's.
 */
export const CallRoute = Schema.Struct({
  /** The carrier of the calls that match, by its name. */
  carrier: CarrierName,
  /** Tried in turn while `carrier` is unavailable, which proves that nothing was sent. Never tried for any other reason. Default: none. */
  failover: Schema.optionalKey(Schema.Array(CarrierName)),
  /** Ids of the accounts whose calls match. Default: all. */
  accounts: Schema.optionalKey(anyOf(AccountId)),
  /** Ids of the agents whose calls match. Default: all. */
  agents: Schema.optionalKey(anyOf(AgentId)),
  /** Of the number that is called: codes of two letters (ISO 3166). A number of no known country is in none of them. */
  countries: Schema.optionalKey(anyOf(CountryCode)),
  /** Of the agent. A call of an agent without one has none of them. */
  callerIds: Schema.optionalKey(anyOf(PhoneNumberText))
})
export type CallRoute = typeof CallRoute.Type

/** The routes of a process. */
export interface CallRouting {
  readonly routes: ReadonlyArray<CallRoute>
  /** The carrier of calls that no route matches. */
  readonly otherwise: CarrierName
}
