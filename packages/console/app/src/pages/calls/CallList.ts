/** The calls that the filters leave, page by page, renewed by the live connection. */
import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import { apiFilters, type CallFilters } from "../../data/CallFilters.ts"
import { type CallRow, pagesIn, rowOf, withChanges, withNew } from "../../data/CallPages.ts"
import { longList, startChanges, useLive } from "../../data/LiveQueries.tsx"
import { type Pages, readPage, usePages } from "../../data/Pages.ts"
import type { Rows } from "../../data/Rows.ts"
import type { Call, LiveChange } from "../../data/Wire.ts"

/** 100,000 calls, which take some 30 MB after all were scrolled through. Then the reader goes on to the next stretch. */
const mostPages = 1_000
/** The first page takes new calls up to this length; then the list begins again at the newest. */
const longestPage = 300
/** Calls in view that are read one by one when they have changed, as they no longer fit the filter. */
const mostSingle = 20

/** Any calls. */
const unnamed: LiveChange = { topics: ["calls"], call_ids: [] }

/**
 * `start` is the cursor of the first page; empty for the newest calls. A change is read for the pages in view alone; the others are read again when
 * they come into view. New calls come in while the reader looks at the newest.
 */
export const useCallList = (filters: CallFilters, start: string) => {
  const account = useAccountId()
  const queryClient = useQueryClient()
  // The span ends when the filters are set: it must not move while pages are read.
  const list = useMemo(() => {
    const path = accountPath(account, "v1/calls")
    return { path, filter: apiFilters(filters, Date.now()), rowOf }
  }, [account, filters])
  // Not under the topic `calls`: a change must not read all pages again.
  const key = useMemo(() => [account, longList, "calls", filters, start] as const, [account, filters, start])
  const { pages, ...paged } = usePages<Call, CallRow>({ ...list, key, start, mostPages, isRenewedByOwner: true })

  const view = useRef<Rows>({ from: 0, to: 0 })
  const [isAway, setIsAway] = useState(false)
  const changedAt = useRef(0)
  const changes = useRef<ReturnType<typeof startChanges>>(undefined)

  /** Whether it was done: not while pages are added, which would bring back the old ones. */
  const renew = useCallback(async (ids: ReadonlySet<string>): Promise<boolean> => {
    const isReading = () => queryClient.isFetching({ queryKey: key, exact: true }) > 0
    const data = queryClient.getQueryData<Pages<CallRow>>(key)
    if (isReading()) return false
    if (data === undefined) {
      // The first reading has failed.
      await queryClient.refetchQueries({ queryKey: key, exact: true })
      return true
    }
    const shown = view.current
    const places = pagesIn(data.pages, shown)
    const read = new Map(
      await Promise.all(
        places.map(async (place) => [place, await readPage(list, data.pageParams[place] ?? start)] as const)
      )
    )
    const answered = new Set([...read.values()].flatMap(({ rows }) => rows.map(({ id }) => id)))
    const others = await Promise.all(
      data.pages.flatMap(({ rows }) => rows).slice(shown.from, shown.to)
        .filter(({ id }) => ids.has(id) && !answered.has(id)).slice(0, mostSingle)
        .map(async ({ id }) => rowOf(await request<Call>(accountPath(account, `v1/calls/${id}`))))
    )
    if (isReading()) return false
    queryClient.setQueryData<Pages<CallRow>>(key, (old) => {
      if (old === undefined) return old
      const [first, ...rest] = withChanges(old.pages, read, others)
      const head = read.get(0)
      const isAtNewest = start === "" && view.current.from === 0 && head !== undefined && first !== undefined
      const longer = isAtNewest ? withNew(first, head) : first
      return longer === undefined || longer.rows.length > longestPage
        ? { pages: head === undefined ? [] : [head], pageParams: [start] }
        : { ...old, pages: [longer, ...rest] }
    })
    return true
  }, [account, key, list, queryClient, start])

  useEffect(() => {
    const started = startChanges(({ call_ids }) => renew(new Set(call_ids)))
    changes.current = started
    // The list may be from before the reader was on another page.
    changedAt.current = Date.now()
    if (queryClient.getQueryData(key) !== undefined) started.add(unnamed)
    return () => started.stop()
  }, [key, queryClient, renew])
  useLive({
    onChanged: (change) => {
      if (!change.topics.includes("calls")) return
      changedAt.current = Date.now()
      changes.current?.add(change)
    },
    onResumed: () => {
      changedAt.current = Date.now()
      changes.current?.add(unnamed)
    }
  })

  const onView = (rows: Rows) => {
    view.current = rows
    setIsAway(rows.from > 0)
    if (pagesIn(pages, rows).some((place) => (pages[place]?.readAt ?? 0) < changedAt.current)) {
      changes.current?.add(unnamed)
    }
  }
  const last = pages.at(-1)
  /** Where the next stretch begins, once this one is shown whole. */
  const next = pages.length >= mostPages ? last?.next : undefined
  return { ...paged, next, isAway, onView }
}
