/**
 * Where the queues of accounts begin that have more due than a claim takes. Behind an old snapshot the entries of calls that
 * have left the queue stay in its index, and every claim would walk over all of them anew. Kept for a second at most, so that
 * calls are found whose entries came late: in a long transaction, from a node whose clock is behind, in a lane that opens.
 */
import type { Ids } from "@outdial/core"
import { DateTime, Duration } from "effect"

/** By priority, an instant before which no call in the queue is due, but for those whose entries come late. */
export type QueueStart = readonly [single: string, batch: string]

export const unknown: QueueStart = ["-infinity", "-infinity"]

/** What a call waits for at most that the claims before have passed over. */
const keptFor = Duration.seconds(1)

/** What fell due this long before a claim may still be being written, and is never passed over: a single call beside a batch. */
const writtenWithin = Duration.seconds(1)

export interface Seen {
  readonly now: DateTime.Utc
  /** From where on the claim looked. */
  readonly from: QueueStart
  /** The first page of candidates, in order, and whether it was full. */
  readonly page: ReadonlyArray<{ readonly picked_priority: number; readonly picked_due_at: Date }>
  readonly isFullPage: boolean
}

export const make = () => {
  const known = new Map<Ids.AccountId, { readonly start: QueueStart; readonly foundAt: DateTime.Utc }>()
  return {
    of: (accountId: Ids.AccountId, now: DateTime.Utc): QueueStart => {
      const last = known.get(accountId)
      if (last === undefined) return unknown
      const age = DateTime.distance(last.foundAt, now)
      return Duration.isLessThan(Duration.abs(age), keptFor) ? last.start : unknown
    },

    /** The claim took as many as it might, so that there may be more. */
    save: (accountId: Ids.AccountId, { from, isFullPage, now, page }: Seen) => {
      const none = DateTime.formatIso(DateTime.subtractDuration(now, writtenWithin))
      const dueAt = (priority: number) => {
        const first = page.find(({ picked_priority }) => picked_priority === priority)?.picked_due_at.toISOString()
        return first === undefined || first < none ? first : none
      }
      known.set(accountId, {
        // Single calls come first: a page without any says that there is none.
        start: [dueAt(0) ?? none, dueAt(1) ?? (isFullPage ? from[1] : none)],
        foundAt: from === unknown ? now : known.get(accountId)?.foundAt ?? now
      })
    },

    forget: (accountId: Ids.AccountId) => known.delete(accountId)
  }
}
