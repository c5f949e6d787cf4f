/** Pages of calls, and how what has changed meanwhile comes into them. */
import type { Page, Rows } from "./Rows.ts"
import type { Call } from "./Wire.ts"

/** What the table shows of a call, and no more, as the reader may scroll through 100,000 of them. */
export interface CallRow {
  readonly id: string
  readonly phone_number: string
  readonly status: Call["status"]
  /** The name of the contact, or the id that the application knows it by. */
  readonly contact: string
  readonly disposition: string | undefined
  readonly status_code: Call["status_code"]
  readonly status_reason: string | undefined
  readonly agent_id: string
  readonly duration_seconds: number
  readonly created_at: string
  readonly test: boolean
}

export type CallPage = Page<CallRow>

export const rowOf = (call: Call): CallRow => ({
  id: call.id,
  phone_number: call.phone_number,
  status: call.status,
  contact: call.contact.name ?? call.contact.external_id ?? "",
  disposition: call.outcome?.disposition,
  status_code: call.status_code,
  status_reason: call.outcome === null ? call.status_reason : undefined,
  agent_id: call.agent_id,
  duration_seconds: call.duration_seconds ?? 0,
  created_at: call.created_at,
  test: call.test
})

/** The places of the pages that have rows in the view; the first page before anything is known of the view. */
export const pagesIn = (pages: ReadonlyArray<CallPage>, view: Rows): ReadonlyArray<number> => {
  const places: Array<number> = []
  let before = 0
  for (const [place, { rows }] of pages.entries()) {
    // A first page without rows is in view, too.
    const isFirst = place === 0 && view.from === 0
    if (isFirst || (before < view.to && before + rows.length > view.from)) places.push(place)
    before += rows.length
  }
  return places
}

/**
 * The pages with the newest state of rows that stand in them. Rows stay where they are, also those that no longer fit the filter, and no row is added,
 * so that nothing moves under the reader's hand. `read` has pages as they were read again, by their places; `others` further calls of these pages.
 */
export const withChanges = (
  pages: ReadonlyArray<CallPage>,
  read: ReadonlyMap<number, CallPage>,
  others: ReadonlyArray<CallRow>
): ReadonlyArray<CallPage> =>
  pages.map((page, place) => {
    const now = read.get(place)
    if (now === undefined) return page
    const newest = new Map([...others, ...now.rows].map((row) => [row.id, row]))
    const rows = page.rows.map((row) => same(row, newest.get(row.id) ?? row))
    return {
      ...page,
      readAt: now.readAt,
      rows: rows.every((row, index) => row === page.rows[index]) ? page.rows : rows
    }
  })

/**
 * The first page with calls that are new, each in its order. `head` is the first page as it is now. `undefined` when calls may be missing between
 * the two: then the list has to begin with `head` again.
 */
export const withNew = (first: CallPage, head: CallPage): CallPage | undefined => {
  const known = new Set(first.rows.map(({ id }) => id))
  const last = head.rows.findLastIndex(({ id }) => known.has(id))
  if (last < 0 && head.next !== undefined && known.size > 0) return undefined
  const fresh = head.rows.slice(0, last < 0 ? undefined : last).filter(({ id }) => !known.has(id))
  return fresh.length === 0 ? first : { ...first, rows: [...fresh, ...first.rows].sort(newestFirst) }
}

const newestFirst = (one: CallRow, other: CallRow): number =>
  compare(other.created_at, one.created_at) || compare(other.id, one.id)

const compare = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0

/** The old object if nothing differs, so that its row is not drawn again. */
const same = (old: CallRow, now: CallRow): CallRow =>
  // Both are made by `rowOf`.
  Object.entries(now).every(([name, value]) => old[name as keyof CallRow] === value) ? old : now
