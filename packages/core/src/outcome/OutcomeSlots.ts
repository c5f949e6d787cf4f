/**
 * The places for outcomes that one process has in the making. An account has at most as many as are free, so that the next one
 * always finds some: alone half of all, of two each a third. Who finds none, or too few, is told when there are.
 */
import type { AccountId } from "../domain/Ids.ts"

export interface OutcomeSlots {
  /** Takes up to so many places for the account, and answers how many. */
  readonly take: (accountId: AccountId, wanted: number) => number
  readonly giveBack: (accountId: AccountId, places: number) => void
  /** The account has more to make than it had places for. */
  readonly wait: (accountId: AccountId) => void
  /** Those that wait and would find a place now, no more than there are places; they wait no longer. */
  readonly called: () => ReadonlyArray<AccountId>
}

export const make = (places: number): OutcomeSlots => {
  const taken = new Map<AccountId, number>()
  // In the order in which they came.
  const waiting = new Set<AccountId>()
  let free = places
  const room = (accountId: AccountId) => {
    const own = taken.get(accountId) ?? 0
    // Whoever has none takes the last one, too.
    return Math.max(own === 0 ? Math.min(free, 1) : 0, Math.floor((free - own) / 2))
  }
  const change = (accountId: AccountId, by: number) => {
    free -= by
    const own = (taken.get(accountId) ?? 0) + by
    if (own === 0) taken.delete(accountId)
    else taken.set(accountId, own)
  }
  return {
    take: (accountId, wanted) => {
      const found = Math.min(wanted, room(accountId))
      change(accountId, found)
      return found
    },
    giveBack: (accountId, places) => change(accountId, -places),
    wait: (accountId) => void waiting.add(accountId),
    called: () => {
      const called: Array<AccountId> = []
      for (const accountId of waiting) {
        if (called.length >= free) break
        if (room(accountId) > 0) called.push(accountId)
      }
      for (const accountId of called) waiting.delete(accountId)
      return called
    }
  }
}
