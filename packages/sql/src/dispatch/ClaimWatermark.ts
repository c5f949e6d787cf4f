/**
 * Where an account's queue begins, if it has more due calls than a claim takes. While an old snapshot exists, index entries
 * of calls that have left the queue stay, and every claim would walk over them again. A watermark is used for at most a
 * second, so that calls with late entries are found: from a long transaction, a node with a slow clock, or a lane that opens.
 */
import type { Ids } from "@outdial/core"
import { DateTime, Duration } from "effect"

/** For each priority an instant before which no queued call is due, except those with late entries. */
export type QueueStart = readonly [single: string, batch: string]

export const unknown: QueueStart = ["-infinity", "-infinity"]

/** How long a call that earlier claims skipped may wait. */
const keptFor = Duration.seconds(1)

/** Calls that fell due this long before a claim may be uncommitted, for example beside a batch: never skipped. */
const writtenWithin = Duration.seconds(1)

export interface Seen {
  readonly now: DateTime.Utc
  /** Where the claim's read began. */
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

    /** The claim reached its limit, so there may be more. */
    save: (accountId: Ids.AccountId, { from, isFullPage, now, page }: Seen) => {
      const none = DateTime.formatIso(DateTime.subtractDuration(now, writtenWithin))
      const dueAt = (priority: number) => {
        const first = page.find(({ picked_priority }) => picked_priority === priority)?.picked_due_at.toISOString()
        return first === undefined || first < none ? first : none
      }
      known.set(accountId, {
        // Single calls come first: a page without one shows that there is none.
        start: [dueAt(0) ?? none, dueAt(1) ?? (isFullPage ? from[1] : none)],
        foundAt: from === unknown ? now : known.get(accountId)?.foundAt ?? now
      })
    },

    forget: (accountId: Ids.AccountId) => known.delete(accountId)
  }
}
