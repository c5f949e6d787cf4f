/** The calls that the filters leave, page by page, renewed by the live connection. */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef } from "react"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { queryString, request } from "../../data/Api.ts"
import { apiFilters, type CallFilters } from "../../data/CallFilters.ts"
import { type CallPage, callsOf, withChanges } from "../../data/CallPages.ts"
import { longList, useLive } from "../../data/LiveQueries.tsx"
import type { Call } from "../../data/Wire.ts"

const pageSize = 100
/** So many pages are in the table at once: each row takes memory, also out of view. The reader goes on to the next stretch. */
const mostPages = 20
/** Calls that are read one by one when they have changed; the others are read when they are opened. */
const mostChanged = 20
/** Between two readings of changes, in milliseconds. */
const pause = 1_500

/** `start` is the cursor of the first page; empty for the newest calls. */
export const useCallList = (filters: CallFilters, start: string) => {
  const account = useAccountId()
  const queryClient = useQueryClient()
  // The span ends when the filters are set: it must not move while pages are read.
  const query = useMemo(() => apiFilters(filters, Date.now()), [filters])
  // Not under the topic `calls`: a change must not read all pages again.
  const queryKey = useMemo(() => [account, longList, "calls", filters, start] as const, [account, filters, start])
  const readPage = useCallback(
    (cursor: string, signal?: AbortSignal) =>
      request<CallPage>(accountPath(account, `v1/calls${queryString({ ...query, limit: pageSize, cursor })}`), {
        ...(signal !== undefined && { signal })
      }),
    [account, query]
  )
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: start,
    getNextPageParam: ({ has_more, next_cursor }, pages) =>
      has_more && pages.length < mostPages ? next_cursor ?? undefined : undefined,
    staleTime: Infinity,
    gcTime: 60_000
  })

  const pages = list.data?.pages
  const calls = useMemo(() => callsOf(pages ?? []), [pages])

  const renew = useCallback(async (ids: ReadonlySet<string>) => {
    const shown = new Set(
      callsOf(queryClient.getQueryData<{ pages: Array<CallPage> }>(queryKey)?.pages ?? []).map(({ id }) => id)
    )
    const head = await readPage(start)
    const inHead = new Set(head.data.map(({ id }) => id))
    const others = [...ids].filter((id) => shown.has(id) && !inHead.has(id)).slice(0, mostChanged)
    const changed = await Promise.all(others.map((id) => request<Call>(accountPath(account, `v1/calls/${id}`))))
    queryClient.setQueryData<{ pages: ReadonlyArray<CallPage>; pageParams: ReadonlyArray<unknown> }>(
      queryKey,
      (old) => {
        if (old === undefined) return old
        const merged = withChanges(old.pages, head, changed)
        return merged === undefined ? { pages: [head], pageParams: [start] } : { ...old, pages: merged }
      }
    )
  }, [account, queryClient, queryKey, readPage, start])

  const pending = useRef<{ ids: Set<string>; timer: number | undefined }>({ ids: new Set(), timer: undefined })
  const schedule = (ids: ReadonlyArray<string>) => {
    const { current } = pending
    for (const id of ids) current.ids.add(id)
    current.timer ??= window.setTimeout(() => {
      const changed = current.ids
      current.ids = new Set()
      current.timer = undefined
      // What fails is read with the next change.
      void renew(changed).catch(() => undefined)
    }, pause)
  }
  useEffect(() => {
    const { current } = pending
    // The list may be from before the reader was on another page.
    if (queryClient.getQueryData(queryKey) !== undefined) void renew(new Set()).catch(() => undefined)
    return () => {
      window.clearTimeout(current.timer)
      current.timer = undefined
    }
  }, [queryClient, queryKey, renew])
  useLive({
    onChanged: ({ call_ids, topics }) => {
      if (topics.includes("calls") && list.data !== undefined) schedule(call_ids)
    },
    onResumed: () => schedule([])
  })

  const last = pages?.at(-1)
  const isFull = pages !== undefined && pages.length >= mostPages
  /** Where the next stretch begins, once this one is shown whole. */
  const next = isFull && last?.has_more === true ? last.next_cursor ?? undefined : undefined
  return { list, calls, next }
}
