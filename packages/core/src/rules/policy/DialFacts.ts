/**
 * The facts that the rules need about a call, and how much history. Storage reads them in the transaction in which they
 * must hold.
 */
import { DateTime, Duration } from "effect"
import type { Account } from "../../domain/Account.ts"
import type { CallId, CarrierName } from "../../domain/Ids.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import * as Policy from "../../domain/Policy.ts"

/** The facts for every call of the account. */
export interface AccountFacts {
  readonly now: DateTime.Utc
  readonly account: Account
  /** All calling is stopped, for all accounts. */
  readonly deploymentPaused: boolean
  /**
   * No call whose lane names no carrier can be dialed: in a claim, over its own carrier; outside of a claim, over that of any live worker.
   */
  readonly carrierPaused: boolean
  /** All carriers that are paused, for calls whose lane names one. */
  readonly pausedCarriers: ReadonlySet<CarrierName>
  /** The carriers of all live workers. Empty when there is no live worker, and in a claim, which leaves the calls of other carriers. */
  readonly runningCarriers: ReadonlySet<CarrierName>
  /** For rules that see no carriers in lanes: no live worker has the carrier of the call. */
  readonly carrierMissing?: boolean
  readonly linesInUse: number
  /** Calls placed in the account's local day so far; 0 without a daily limit. */
  readonly placedToday: number
  /** When calls were placed within the last second, oldest first. */
  readonly placedLastSecond: ReadonlyArray<DateTime.Utc>
  /** Further calls placed at this very instant. */
  readonly placedNow: number
}

/** The facts for every call to the number. */
export interface NumberFacts {
  /** The call that waits for the number. */
  readonly waitingCallId?: CallId
  /** A call to the number is being dialed or going on. */
  readonly isBusy: boolean
  readonly doNotCall: boolean
  /** When the number was dialed, newest first, as far back and as many as `history` asks for. */
  readonly dials: ReadonlyArray<DateTime.Utc>
}

/** The facts about several numbers at one instant. */
export interface AccountSnapshot extends AccountFacts {
  readonly numbers: ReadonlyMap<PhoneNumber, NumberFacts>
}

export interface DialFacts extends AccountFacts {
  readonly number: NumberFacts
}

/** A number that was never called and is not on the list. */
export const unknownNumber: NumberFacts = { isBusy: false, doNotCall: false, dials: [] }

/** Combines the facts about a number with those under its alias. */
export const withAlias = (number: NumberFacts, alias: NumberFacts, most: number): NumberFacts => ({
  ...number,
  isBusy: number.isBusy || alias.isBusy,
  doNotCall: number.doNotCall || alias.doNotCall,
  dials: [...number.dials, ...alias.dials].sort((a, b) => DateTime.Order(b, a)).slice(0, most)
})

/** How much of a number's history the account's rules can ask about: dials after `since`, the `most` newest of them. */
export const history = (
  account: Account,
  now: DateTime.Utc
): { readonly since: DateTime.Utc; readonly most: number } => {
  const { agents, numberLimits, recallGapSeconds } = Policy.complete(account.policy ?? {})
  const gaps = Object.values(agents).map((agent) => agent.recallGapSeconds ?? 0)
  const seconds = Math.max(recallGapSeconds, ...gaps, ...numberLimits.map(({ windowSeconds }) => windowSeconds))
  return {
    since: DateTime.subtractDuration(now, Duration.seconds(seconds)),
    most: Math.max(1, ...numberLimits.map(({ max }) => max))
  }
}

/** The facts after one more call to the number has been placed. */
export const afterDial = (facts: AccountFacts): AccountFacts => ({
  ...facts,
  linesInUse: facts.linesInUse + 1,
  placedToday: facts.placedToday + 1,
  placedNow: facts.placedNow + 1
})
