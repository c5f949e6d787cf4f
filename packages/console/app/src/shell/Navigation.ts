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
      { page: "calls", path: "calls" }
    ]
  },
  { id: "rules", items: [] },
  { id: "integration", items: [] },
  { id: "administration", items: [] }
]
