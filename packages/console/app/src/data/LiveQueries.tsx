/** The live connection of the account in the address, and the queries that it renews. */
import { useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useSyncExternalStore } from "react"
import { useAccountId } from "./Account.ts"
import { Changes, type ChangesOptions } from "./Changes.ts"
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
    const changes = startChanges(async ({ topics }) => {
      // An outcome, an event or a delivery of a call names no call. At most one is open.
      const isOfCalls = topics.includes("calls") || topics.includes("deliveries")
      const keys = isOfCalls ? [...topics, "call"] : topics
      await Promise.all(keys.map(async (key) => {
        const queryKey = [account, key]
        await queryClient.invalidateQueries({ queryKey, refetchType: "none" })
        await queryClient.refetchQueries({ queryKey, type: "active", predicate: isShort })
      }))
      return true
    })
    const renewAll = () => void queryClient.invalidateQueries({ predicate: isShort })
    let timer: number | undefined
    const forget = connection.listen({
      onChanged: (change) => changes.add(change),
      onResumed: renewAll,
      // Where no stream passes, the page still shows what happens. Where no server answers, it shows that at once.
      onState: (state) => {
        window.clearInterval(timer)
        if (state === "lost") renewAll()
        timer = state === "live" ? undefined : window.setInterval(renewAll, lostInterval)
      }
    })
    connection.start()
    return () => {
      window.clearInterval(timer)
      connection.stop()
      changes.stop()
      forget()
    }
  }, [account, connection, queryClient])
  return <LiveContext value={connection}>{children}</LiveContext>
}

/** Between two readings of changes, in milliseconds. */
const pause = 2_000

/** Reads changes with the page's clock, until they are stopped. */
export const startChanges = (read: ChangesOptions["read"]) => {
  const changes = new Changes({
    read,
    pause: () => new Promise((done) => window.setTimeout(done, pause)),
    isSeen: () => document.visibilityState === "visible"
  })
  const onVisible = () => void changes.next()
  document.addEventListener("visibilitychange", onVisible)
  return {
    add: (change: LiveChange) => changes.add(change),
    stop: () => {
      changes.stop()
      document.removeEventListener("visibilitychange", onVisible)
    }
  }
}

/** Lists that renew themselves have this in place of a topic. */
export const longList = "long-list"

/** Lists of more pages are not read again as a whole, which takes one request after the other: see `usePages`. */
const mostPages = 3

interface ReadQuery {
  readonly queryKey: ReadonlyArray<unknown>
  readonly state: { readonly data: unknown }
}

/** Whether all of a query is read again when something may have changed. */
export const isShort = ({ queryKey, state: { data } }: ReadQuery): boolean =>
  queryKey[1] !== longList && (data === undefined || !isPaged(data) || data.pages.length <= mostPages)

const isPaged = (data: unknown): data is { readonly pages: ReadonlyArray<unknown> } =>
  typeof data === "object" && data !== null && "pages" in data && Array.isArray(data.pages)

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
