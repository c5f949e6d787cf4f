/** A message inside a page. `bad` and `warn` are announced to screen readers when they appear; actions stand at its end. */
import type { ReactNode } from "react"

export type NoticeTone = "info" | "good" | "warn" | "bad"

export interface NoticeProps {
  readonly tone?: NoticeTone
  readonly title?: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

export const Notice = ({ actions, children, title, tone = "info" }: NoticeProps) => (
  <div className={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
    <div>
      {title !== undefined && <strong>{title}</strong>}
      {children !== undefined && <div>{children}</div>}
    </div>
    {actions !== undefined && <div className="row">{actions}</div>}
  </div>
)
