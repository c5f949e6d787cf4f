/** What stands where there is nothing yet: what would be here, and the action that brings it. */
import type { ReactNode } from "react"

export interface EmptyStateProps {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export const EmptyState = ({ action, children, title }: EmptyStateProps) => (
  <div className="empty">
    <h3>{title}</h3>
    {children !== undefined && <div>{children}</div>}
    {action}
  </div>
)
