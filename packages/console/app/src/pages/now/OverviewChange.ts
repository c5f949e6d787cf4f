/** Shows at once what was changed. The server's overview may be two seconds old, so it is read after that. */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { useAccountId } from "../../data/Account.ts"
import { sessionKey, useSession } from "../../data/Session.ts"
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

/** Reads the overview and the session again while they disagree on whether calling is paused: one of them is from before a change. */
export const useAgreement = (overview: Overview | undefined): void => {
  const account = useAccountId()
  const queryClient = useQueryClient()
  const { accounts, all_paused } = useSession()
  const isPaused = accounts.find(({ id }) => id === account)?.paused === true
  useEffect(() => {
    if (overview === undefined || (overview.all_paused === all_paused && overview.paused === isPaused)) return
    const timer = window.setTimeout(() => {
      void queryClient.invalidateQueries({ queryKey: sessionKey })
      void queryClient.invalidateQueries({ queryKey: [account, "overview"] })
    }, serverAge)
    return () => window.clearTimeout(timer)
  }, [account, all_paused, isPaused, overview, queryClient])
}
