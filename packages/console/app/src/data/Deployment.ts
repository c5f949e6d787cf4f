/** Queries and changes of what belongs to no account: sessions and accounts. */
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { request, type RequestOptions } from "./Api.ts"
import { sessionKey } from "./Session.ts"

export const useDeploymentQuery = <Data>(path: string): UseQueryResult<Data> =>
  useQuery({ queryKey: ["deployment", path], queryFn: ({ signal }) => request<Data>(path, { signal }) })

/** A change after which all that belongs to no account is read again. The input is a request. */
export const useDeploymentChange = <Data = unknown>() => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ path, ...options }: { readonly path: string } & Omit<RequestOptions, "signal">) =>
      request<Data>(path, { method: "POST", ...options }),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["deployment"] }),
        queryClient.invalidateQueries({ queryKey: sessionKey })
      ])
  })
}
