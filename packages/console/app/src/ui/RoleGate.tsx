/** Shows its children only to sessions whose role includes `role`. The server refuses the others all the same. `fallback` may say why. */
import type { ReactNode } from "react"
import { type Role, useIsAllowed } from "../data/Session.ts"

export interface RoleGateProps {
  readonly role: Role
  readonly children: ReactNode
  readonly fallback?: ReactNode
}

export const RoleGate = ({ children, fallback = null, role }: RoleGateProps) => useIsAllowed(role) ? children : fallback
