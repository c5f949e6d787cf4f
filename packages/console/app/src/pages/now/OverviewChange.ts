/** Shows at once what was changed. The server's overview may be two seconds old, so it is read after that. */
import { useQueryClient } from "@tanstack/react-query"
import { useAccountId } from "../../data/Account.ts"
import { sessionKey } from "../../data/Session.ts"
import type { Overview } from "../../data/Wire.ts"

const serverAge = 2_500

export const useOverviewChange = () => {
  const account = useAccountId()
  const queryClient = useQueryClient()
  return async (change: Partial<Overview>) => {
    const queryKey = [account, "overview", "overview"]
    await queryClient.cancelQueries({ queryKey })
    queryClient.setQueryData<Overview>(queryKey, (old) => old && { ...old, ...change })
    void queryClient.invalidateQueries({ queryKey: sessionKey })
    window.setTimeout(() => void queryClient.invalidateQueries({ queryKey: [account, "overview"] }), serverAge)
  }
}
