/** Lists that are read page by page, newest first. */
import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { accountPath, type Topic, useAccountId } from "./Account.ts"
import { queryString, request } from "./Api.ts"
import type { Page } from "./Rows.ts"
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
}

const none: ReadonlyArray<never> = []

export const usePages = <Item, Row>(options: PagesOptions<Item, Row>): Paged<Row> => {
  const { isRenewedByOwner = false, key, mostPages = Infinity, start = "" } = options
  const query = useInfiniteQuery<Page<Row>, Error, Pages<Row>, ReadonlyArray<unknown>, string>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(options, pageParam, signal),
    initialPageParam: start,
    getNextPageParam: ({ next }, { length }) => length < mostPages ? next : undefined,
    // Comparing all rows with each page that is read would take longer than a frame.
    ...(isRenewedByOwner && { staleTime: Infinity, gcTime: 60_000, structuralSharing: false })
  })
  const pages = query.data?.pages ?? none
  const rows = useMemo(() => pages.flatMap(({ rows }) => rows), [pages])
  return {
    rows,
    pages,
    error: query.error,
    isLoading: query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    ...(query.hasNextPage && { onLoadMore: () => void query.fetchNextPage({ cancelRefetch: false }) }),
    refetch: () => void query.refetch()
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
