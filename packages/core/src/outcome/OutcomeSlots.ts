/**
 * The places for outcomes that one process has in the making. An account has at most as many as are free, so that the next one
 * always finds some: alone half of all, of two each a third. Who finds none, or too few, is told when there are.
 */
import type { AccountId } from "../domain/Ids.ts"

export interface OutcomeSlots {
  /** Takes up to so many places for the account, and answers how many. */
  readonly acquire: (accountId: AccountId, wanted: number) => number
  readonly release: (accountId: AccountId, places: number) => void
  /** The account has more to make than it had places for. */
  readonly wait: (accountId: AccountId) => void
  /** Those that wait and would find a place now, no more than there are places; they wait no longer. */
  readonly admitWaiting: () => ReadonlyArray<AccountId>
}

export const make = (slots: number): OutcomeSlots => {
  const held = new Map<AccountId, number>()
  // In the order in which they came.
  const waiting = new Set<AccountId>()
  let free = slots
  const room = (accountId: AccountId) => {
    const own = held.get(accountId) ?? 0
    // Whoever has none takes the last one, too.
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
