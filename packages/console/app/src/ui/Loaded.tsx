/**
 * The data of a query, or a skeleton while it loads, or its error with a button to try again. Data that is shown stays while it is read again and
 * when that fails: the banner of the page says that the connection is lost.
 */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ErrorNotice } from "./ErrorNotice.tsx"
import { Skeleton } from "./Skeleton.tsx"

export interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>
  readonly children: (data: Data) => ReactNode
  /** Lines of the skeleton. */
  readonly lines?: number
}

export const Loaded = <Data extends unknown>({ children, lines = 3, query }: LoadedProps<Data>) => {
  if (query.data !== undefined) return children(query.data)
  if (query.error !== null) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton lines={lines} />
}
