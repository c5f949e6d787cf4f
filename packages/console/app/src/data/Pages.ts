/** Lists that are read page by page, newest first. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useEffectEvent, useMemo, useRef } from "react"
import { accountPath, type Topic, useAccountId } from "./Account.ts"
import { queryString, request } from "./Api.ts"
import { isShort } from "./LiveQueries.tsx"
import type { Page, Rows } from "./Rows.ts"
import type { List } from "./Wire.ts"

/** The most that the server gives at once. */
const pageSize = 100

export type Filter = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export type Pages<Row> = InfiniteData<Page<Row>, string>

/** Which list, and what is kept of its items. */
export interface ListOf<Item, Row> {
  /** Of the API. */
  readonly path: string
  readonly filter: Filter
  readonly rowOf: (item: Item) => Row
}

/** An empty cursor is the first page. */
export const readPage = async <Item, Row>(
  { filter, path, rowOf }: ListOf<Item, Row>,
  cursor: string,
  signal?: AbortSignal
): Promise<Page<Row>> => {
  const readAt = Date.now()
  const { data, has_more, next_cursor } = await request<List<Item>>(
    `${path}${queryString({ ...filter, limit: pageSize, cursor })}`,
    signal === undefined ? {} : { signal }
  )
  return { rows: data.map(rowOf), next: has_more ? next_cursor ?? undefined : undefined, readAt }
}

export interface PagesOptions<Item, Row> extends ListOf<Item, Row> {
  /** Of the query, with all that changes what is read. */
  readonly key: ReadonlyArray<unknown>
  /** Where the first page begins. Default: at the newest. */
  readonly start?: string
  /** Default: any number. */
  readonly mostPages?: number
  /** It is read again only by `setQueryData`. */
  readonly isRenewedByOwner?: boolean
}

export interface Paged<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly pages: ReadonlyArray<Page<Row>>
  readonly error: Error | null
  readonly isLoading: boolean
  readonly isLoadingMore: boolean
  /** Reads the next page; does nothing while pages are read. Absent on the last. */
  readonly onLoadMore?: () => void
  readonly refetch: () => void
  /** For the table, which calls it with the rows in view. */
  readonly onView: (rows: Rows) => void
}

const none: ReadonlyArray<never> = []

/** A list of many pages is read again from its newest page on, once the reader is there, so that nothing moves and reading it takes one request. */
export const usePages = <Item, Row>(options: PagesOptions<Item, Row>): Paged<Row> => {
  const { isRenewedByOwner = false, key, mostPages = Infinity, start = "" } = options
  const queryClient = useQueryClient()
  const query = useInfiniteQuery<Page<Row>, Error, Pages<Row>, ReadonlyArray<unknown>, string>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(options, pageParam, signal),
    initialPageParam: start,
    getNextPageParam: ({ next }, { length }) => length < mostPages ? next : undefined,
    refetchOnMount: isShort,
    refetchOnReconnect: isShort,
    refetchOnWindowFocus: isShort,
    // Comparing all rows with each page that is read would take longer than a frame.
    ...(isRenewedByOwner && { staleTime: Infinity, gcTime: 60_000, structuralSharing: false })
  })
  const pages = query.data?.pages ?? none
  const isAtNewest = useRef(false)
  const isOld = query.isStale && !query.isFetching
  const renew = () => {
    const list = queryClient.getQueryCache().find({ queryKey: key, exact: true })
    if (!isOld || isRenewedByOwner || !isAtNewest.current || list === undefined || isShort(list)) return
    queryClient.setQueryData<Pages<Row>>(
      key,
      (old) => old && { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) }
    )
    void query.refetch()
  }
  const onOld = useEffectEvent(renew)
  useEffect(() => onOld(), [isOld])
  const rows = useMemo(() => pages.flatMap(({ rows }) => rows), [pages])
  return {
    rows,
    pages,
    error: query.error,
    isLoading: query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    ...(query.hasNextPage && { onLoadMore: () => void query.fetchNextPage({ cancelRefetch: false }) }),
    refetch: () => void query.refetch(),
    onView: ({ from }) => {
      isAtNewest.current = from === 0
      renew()
    }
  }
}

const whole = <Item>(item: Item): Item => item

/** A list of the account, such as `v1/do_not_call`. It is read again when the live connection names its topic. */
export const useAccountPages = <Item>(topic: Topic, path: string, filter: Filter = {}): Paged<Item> => {
  const account = useAccountId()
  return usePages<Item, Item>({
    key: [account, topic, "pages", path, filter],
    path: accountPath(account, path),
    filter,
    rowOf: whole
  })
}

/** A list of the whole deployment, such as `audit`. */
export const useDeploymentPages = <Item>(path: string): Paged<Item> =>
  usePages<Item, Item>({ key: ["deployment", path], path, filter: {}, rowOf: whole })
