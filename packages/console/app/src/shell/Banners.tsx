/** What concerns every page: the server does not answer, or the emergency stop is on. */
import { onlineManager, useQueryClient } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"
import { Link, useMatch } from "react-router"
import { useAccountId } from "../data/Account.ts"
import { ConnectionLost } from "../data/ApiError.ts"
import { isShort, useLiveState } from "../data/LiveQueries.tsx"
import { useSession, useSessionQuery } from "../data/Session.ts"
import { useTexts } from "../texts/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { RoleGate } from "../ui/RoleGate.tsx"

export const Banners = () => (
  <>
    <Connection />
    <Stopped />
  </>
)

const Connection = () => {
  const live = useLiveState()
  const isOnline = useSyncExternalStore((listener) => onlineManager.subscribe(listener), () => onlineManager.isOnline())
  const queryClient = useQueryClient()
  const { error, failureReason } = useSessionQuery()
  // The first of several attempts says it.
  const isServerLost = (error ?? failureReason) instanceof ConnectionLost
  const { common, shell } = useTexts()
  if (isOnline && live !== "lost") return null
  return (
    <div className="banner" role="status">
      <span>{!isOnline ? shell.offline : isServerLost ? shell.serverLost : shell.liveLost}</span>
      <Button isCompact onPress={() => void queryClient.refetchQueries({ type: "active", predicate: isShort })}>
        {common.retry}
      </Button>
    </div>
  )
}

const Stopped = () => {
  const { accounts, all_paused } = useSession()
  const account = useAccountId()
  const { shell } = useTexts()
  const isPaused = accounts.find(({ id }) => id === account)?.paused === true
  // The page Now says it itself.
  const isSaid = useMatch("/:account/now") !== null
  if (isSaid || (!all_paused && !isPaused)) return null
  return (
    <div className="banner bad" role="status">
      <strong>{all_paused ? shell.allStopped : shell.accountStopped}</strong>
      <RoleGate role="operator">
        <Link to={`/${account}/now`}>{shell.resumeOnNow}</Link>
      </RoleGate>
    </div>
  )
}
