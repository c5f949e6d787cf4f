/** Who looks at the page, and what their role may do. The server checks the role again on every request. */
import { useQuery } from "@tanstack/react-query"
import { createContext, use } from "react"
import { request } from "./Api.ts"
import { ApiError } from "./ApiError.ts"
import type { Role } from "./Wire.ts"

export type { Role }

export interface Session {
  readonly role: Role
  readonly name: string
  /** The one account that the session is for; null for all. */
  readonly account_id: string | null
  readonly accounts: ReadonlyArray<{ readonly id: string; readonly name: string; readonly paused: boolean }>
  /** Whether the emergency stop holds all accounts. */
  readonly all_paused: boolean
  /** Null when an application signs its users in. */
  readonly expires_at: string | null
  readonly version: string
  readonly carrier: string
}

export const sessionKey = ["session"] as const

/** `null` when there is no session. */
export const useSessionQuery = () =>
  useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) =>
      request<Session>("session", { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return null
        throw error
      }),
    staleTime: 60_000
  })

export const SessionContext = createContext<Session | undefined>(undefined)

/** Only below `Shell`, which shows pages with a session only. */
export const useSession = (): Session => {
  const session = use(SessionContext)
  if (session === undefined) throw new Error("There is no session here")
  return session
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 }

/** Whether the role may do what needs at least the other. */
export const includesRole = (role: Role, needed: Role): boolean => ranks[role] >= ranks[needed]

export const useIsAllowed = (needed: Role): boolean => includesRole(useSession().role, needed)
