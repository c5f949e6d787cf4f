/** The pages in the sidebar. Each has a route in `routes.tsx` and a text in `texts`, under `shell.pages`. */
import type { Role } from "../data/Session.ts"
import type { Texts } from "../texts/Language.tsx"

export interface NavigationItem {
  readonly page: keyof Texts["shell"]["pages"]
  /** Below the account. */
  readonly path: string
  /** The least role; `viewer` when not given. */
  readonly role?: Role
}

export interface NavigationGroup {
  readonly id: keyof Texts["shell"]["groups"]
  readonly items: ReadonlyArray<NavigationItem>
}

export const navigation: ReadonlyArray<NavigationGroup> = [
  {
    id: "calling",
    items: [
      { page: "now", path: "now" },
      { page: "calls", path: "calls" },
      { page: "batches", path: "batches" },
      { page: "agents", path: "agents" }
    ]
  },
  {
    id: "rules",
    items: [{ page: "hours", path: "hours" }, { page: "do_not_call", path: "do-not-call", role: "operator" }]
  },
  {
    id: "integration",
    items: [
      { page: "webhook", path: "webhook", role: "operator" },
      { page: "keys", path: "keys", role: "admin" },
      { page: "usage", path: "usage" }
    ]
  },
  {
    id: "administration",
    items: [
      { page: "accounts", path: "accounts", role: "admin" },
      { page: "sessions", path: "sessions", role: "admin" },
      { page: "audit", path: "audit", role: "admin" }
    ]
  }
]
