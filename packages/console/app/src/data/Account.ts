/** Queries and changes of the account in the address. The second element of a query's key is its topic, by which the live connection renews it. */
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useParams } from "react-router"
import { request, type RequestOptions } from "./Api.ts"
import type { LiveTopic } from "./Wire.ts"

/**
 * What may change. The server names its topics in the events of the live connection; `call` is one call, and the others have no events. `choices` are
 * what a filter offers, of which only the names are shown.
 */
export type Topic = LiveTopic | "call" | "audit" | "sessions" | "accounts" | "usage" | "choices"

/** The account in the address. */
export const useAccountId = (): string => useParams()["account"] ?? ""

/** The path of the API for the account, such as `accounts/acct_1/v1/calls`. */
export const accountPath = (account: string, path: string): string => `accounts/${encodeURIComponent(account)}/${path}`

export interface QueryOptions {
  readonly enabled?: boolean
  /** Milliseconds. For what no event announces. */
  readonly refetchInterval?: number
  readonly staleTime?: number
}

/**
 * Reads `path` below the account, such as `v1/batches?limit=20`. It is read again when the live connection names its topic. `id`, of topic
 * `call`, limits that to one call.
 */
export const useAccountQuery = <Data>(
  topic: Topic,
  path: string,
  options: QueryOptions & { readonly id?: string } = {}
): UseQueryResult<Data> => {
  const account = useAccountId()
  const { id, ...rest } = options
  return useQuery({
    queryKey: [account, topic, ...(id === undefined ? [] : [id]), path],
    queryFn: ({ signal }) => request<Data>(accountPath(account, path), { signal }),
    ...rest
  })
}

export interface Change<Data, Input> {
  /** The request for an input. */
  readonly request: (input: Input) => { readonly path: string } & Omit<RequestOptions, "signal">
  /** What to read again afterwards, without waiting for the live connection. */
  readonly changes: ReadonlyArray<Topic>
  readonly onSuccess?: (data: Data, input: Input) => void
}

/** A change of the account. Call `mutate` or `mutateAsync` with its input. */
export const useAccountChange = <Data = unknown, Input = void>(change: Change<Data, Input>) => {
  const account = useAccountId()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => {
      const { path, ...options } = change.request(input)
      return request<Data>(accountPath(account, path), { method: "POST", ...options })
    },
    onSuccess: (data, input) => {
      change.onSuccess?.(data, input)
      for (const topic of change.changes) void queryClient.invalidateQueries({ queryKey: [account, topic] })
    }
  })
}
