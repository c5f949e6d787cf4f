/** Pages of calls, and how what has changed meanwhile comes into them. */
import type { Call, List } from "./Wire.ts"

export type CallPage = List<Call>

/** Calls may move between pages while they are read: each is shown once. */
export const callsOf = (pages: ReadonlyArray<CallPage>): ReadonlyArray<Call> => {
  const seen = new Set<string>()
  return pages.flatMap(({ data }) =>
    data.filter(({ id }) => {
      if (seen.has(id)) return false
      seen.add(id)
      return true
    })
  )
}

/**
 * The pages with the newest state of some calls, and with new calls before the others. `head` is the first page now. Rows stay where they are, also
 * those that no longer fit the filter, so that nothing moves under the reader's hand. `undefined` when more calls are new than a page holds: then the
 * list has to be read again.
 */
export const withChanges = (
  pages: ReadonlyArray<CallPage>,
  head: CallPage,
  changed: ReadonlyArray<Call>
): ReadonlyArray<CallPage> | undefined => {
  const known = new Set(pages.flatMap(({ data }) => data.map(({ id }) => id)))
  const fresh = head.data.filter(({ id }) => !known.has(id))
  if (fresh.length === head.data.length && head.has_more && known.size > 0) return undefined
  const newest = new Map([...changed, ...head.data].map((call) => [call.id, call]))
  const [first, ...rest] = pages.map((page) => {
    const data = page.data.map((call) => same(call, newest.get(call.id) ?? call))
    return data.every((call, index) => call === page.data[index]) ? page : { ...page, data }
  })
  if (first === undefined) return [head]
  return [fresh.length === 0 ? first : { ...first, data: [...fresh, ...first.data] }, ...rest]
}

/** The old object if nothing differs, so that its row is not drawn again. Links to recordings differ each time. */
const same = (old: Call, now: Call): Call => old === now || state(old) === state(now) ? old : now

const state = ({ recording_expires_at: _, recording_url, ...call }: Call): string =>
  JSON.stringify([call, recording_url === undefined])
