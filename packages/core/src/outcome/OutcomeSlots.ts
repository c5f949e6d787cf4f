/**
 * The outcomes that one process may compute at once. An account holds at most as many slots as are free, so that the next account always
 * finds some: one account gets half of all, two get a third each. An account without enough slots is woken when some are released.
 */
import type { AccountId } from "../domain/Ids.ts"

export interface OutcomeSlots {
  /** Acquires up to `wanted` slots for the account, and returns how many. */
  readonly acquire: (accountId: AccountId, wanted: number) => number
  readonly release: (accountId: AccountId, places: number) => void
  /** The account has more to make than it had places for. */
  readonly wait: (accountId: AccountId) => void
  /** Accounts that wait and would get a slot now, at most as many as there are free slots. They no longer wait. */
  readonly admitWaiting: () => ReadonlyArray<AccountId>
}

export const make = (slots: number): OutcomeSlots => {
  const held = new Map<AccountId, number>()
  // In order of arrival.
  const waiting = new Set<AccountId>()
  let free = slots
  const room = (accountId: AccountId) => {
    const own = held.get(accountId) ?? 0
    // An account without a slot may take the last one.
    return Math.max(own === 0 ? Math.min(free, 1) : 0, Math.floor((free - own) / 2))
  }
  const change = (accountId: AccountId, by: number) => {
    free -= by
    const own = (held.get(accountId) ?? 0) + by
    if (own === 0) held.delete(accountId)
    else held.set(accountId, own)
  }
  return {
    acquire: (accountId, wanted) => {
      const granted = Math.min(wanted, room(accountId))
      change(accountId, granted)
      return granted
    },
    release: (accountId, places) => change(accountId, -places),
    wait: (accountId) => void waiting.add(accountId),
    admitWaiting: () => {
      const admitted: Array<AccountId> = []
      for (const accountId of waiting) {
        if (admitted.length >= free) break
        if (room(accountId) > 0) admitted.push(accountId)
      }
      for (const accountId of admitted) waiting.delete(accountId)
      return admitted
    }
  }
}
