/** Lists that are read page by page, newest first. */
import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { accountPath, type Topic, useAccountId } from "./Account.ts"
import { queryString, request } from "./Api.ts"
import type { List } from "./Wire.ts"

const pageSize = 100

type Filter = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

interface Paged<Item> {
  readonly rows: ReadonlyArray<Item>
  readonly error: Error | null
  readonly isLoading: boolean
  readonly isLoadingMore: boolean
  /** Reads the next page; absent on the last. */
  readonly onLoadMore?: () => void
  readonly refetch: () => void
}

const usePaged = <Item>(key: ReadonlyArray<unknown>, path: string, filter: Filter): Paged<Item> => {
  const query = useInfiniteQuery<
    List<Item>,
    Error,
    InfiniteData<List<Item>>,
    ReadonlyArray<unknown>,
    string | undefined
  >({
    queryKey: key,
    queryFn: ({ pageParam: cursor, signal }) =>
      request(`${path}${queryString({ ...filter, limit: String(pageSize), cursor })}`, { signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ has_more, next_cursor }) => has_more ? next_cursor : undefined
  })
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  return {
    rows,
    error: query.error,
    isLoading: query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    ...(query.hasNextPage && { onLoadMore: () => void query.fetchNextPage() }),
    refetch: () => void query.refetch()
  }
}

/** A list of the account, such as `v1/do_not_call`. It is read again when the live connection names its topic. */
export const useAccountPages = <Item>(topic: Topic, path: string, filter: Filter = {}): Paged<Item> => {
  const account = useAccountId()
  return usePaged([account, topic, "pages", path, filter], accountPath(account, path), filter)
}

/** A list of the whole deployment, such as `audit`. */
export const useDeploymentPages = <Item>(path: string): Paged<Item> => usePaged(["deployment", path], path, {})
