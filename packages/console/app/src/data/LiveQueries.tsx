/** The live connection of the account in the address, and the queries that it renews. */
import { useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useSyncExternalStore } from "react"
import { useAccountId } from "./Account.ts"
import { LiveConnection, type LiveListener, type LiveState } from "./Live.ts"
import type { LiveChange } from "./Wire.ts"

const LiveContext = createContext<LiveConnection | undefined>(undefined)

/** How often everything is read again while there is no live connection, in milliseconds. */
const lostInterval = 15_000

/** One connection for everything below. */
export const LiveProvider = ({ children }: { readonly children: ReactNode }) => {
  const account = useAccountId()
  const queryClient = useQueryClient()
  const connection = useMemo(() => new LiveConnection(account), [account])
  useEffect(() => {
    const renew = ({ call_ids, topics }: LiveChange) => {
      for (const topic of topics) void queryClient.invalidateQueries({ queryKey: [account, topic] })
      // An outcome, an event or a delivery of a call names no call. At most one is open.
      if (topics.includes("calls") || topics.includes("deliveries")) {
        void queryClient.invalidateQueries({ queryKey: [account, "call"] })
      }
      for (const id of call_ids) void queryClient.invalidateQueries({ queryKey: [account, "call", id] })
    }
    const renewAll = () => void queryClient.invalidateQueries({ predicate: isShort })
    let timer: number | undefined
    const forget = connection.listen({
      onChanged: renew,
      onResumed: renewAll,
      // Where no stream passes, the page still shows what happens.
      onState: (state) => {
        window.clearInterval(timer)
        timer = state === "live" ? undefined : window.setInterval(renewAll, lostInterval)
      }
    })
    connection.start()
    return () => {
      window.clearInterval(timer)
      connection.stop()
      forget()
    }
  }, [account, connection, queryClient])
  return <LiveContext value={connection}>{children}</LiveContext>
}

/** Long lists that renew themselves, so that a lost connection does not read all their pages again. */
export const longList = "long-list"

export const isShort = ({ queryKey }: { readonly queryKey: ReadonlyArray<unknown> }): boolean =>
  queryKey[1] !== longList

const useConnection = (): LiveConnection => {
  const connection = use(LiveContext)
  if (connection === undefined) throw new Error("There is no live connection here")
  return connection
}

export const useLiveState = (): LiveState => {
  const connection = useConnection()
  return useSyncExternalStore(
    (onState) => connection.listen({ onState }),
    () => connection.state
  )
}

/** Calls the listener's functions of the last render while the component is mounted. */
export const useLive = (listener: LiveListener): void => {
  const connection = useConnection()
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() =>
    connection.listen({
      onChanged: (changed) => latest.current.onChanged?.(changed),
      onResumed: () => latest.current.onResumed?.(),
      onTurn: (callId, turn) => latest.current.onTurn?.(callId, turn),
      onSealed: (callId) => latest.current.onSealed?.(callId)
    }), [connection])
}

/** Asks for the words of a call while the component is mounted. */
export const useFollowedCall = (callId: string, isFollowed: boolean): void => {
  const connection = useConnection()
  useEffect(() => {
    if (!isFollowed) return
    connection.follow(callId)
    return () => connection.follow(undefined)
  }, [callId, connection, isFollowed])
}
