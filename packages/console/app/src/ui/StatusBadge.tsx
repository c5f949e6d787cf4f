/** The state of a call, a delivery, a batch or another thing: a word with a sign, so that it does not depend on colour. */
import type { ReactNode } from "react"
import type { CallStatus } from "../data/Wire.ts"
import { useTexts } from "../texts/Language.tsx"
import { Icon, type IconName } from "./Icon.tsx"

export type BadgeTone = "quiet" | "accent" | "good" | "warn" | "bad"

export interface BadgeProps {
  readonly tone?: BadgeTone
  readonly icon?: IconName
  readonly children: ReactNode
}

export const Badge = ({ children, icon, tone = "quiet" }: BadgeProps) => (
  <span className={`badge ${tone}`}>
    {icon !== undefined && <Icon name={icon} size={12} />}
    {children}
  </span>
)

const looks: Readonly<Record<CallStatus, readonly [BadgeTone, IconName]>> = {
  queued: ["quiet", "clock"],
  dialing: ["accent", "phone"],
  in_progress: ["accent", "play"],
  completed: ["good", "check"],
  no_answer: ["warn", "ring"],
  busy: ["warn", "ring"],
  failed: ["bad", "cross"],
  canceled: ["quiet", "close"],
  expired: ["warn", "clock"]
}

/** The status of a call. */
export const StatusBadge = ({ status }: { readonly status: CallStatus }) => {
  const { calls } = useTexts()
  const [tone, icon] = looks[status]
  return <Badge tone={tone} icon={icon}>{calls.status[status]}</Badge>
}
