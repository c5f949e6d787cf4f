/** Where the call stands, and what happens next. */
import type { Call } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Notice, type NoticeTone } from "../../ui/Notice.tsx"
import { useReason } from "../../ui/Reason.tsx"
import { Time } from "../../ui/Time.tsx"

const tones: Readonly<Record<Call["status"], NoticeTone>> = {
  queued: "info",
  dialing: "info",
  in_progress: "info",
  completed: "good",
  no_answer: "warn",
  busy: "warn",
  failed: "bad",
  canceled: "info",
  expired: "warn"
}

export const NextStep = ({ call }: { readonly call: Call }) => {
  const { call: { next } } = useTexts()
  const reason = useReason()
  const { carrier_reason, outcome, scheduled_for, status, status_code, status_reason } = call
  const carrier = [carrier_reason?.code, carrier_reason?.message].filter((part) => part !== undefined).join(" ")
  const isHeld = status === "queued" && status_code !== undefined
  const title = isHeld
    ? next.held
    : status === "completed" && outcome === null
    ? next.outcomePending
    : next[status]
  return (
    <Notice tone={isHeld ? "warn" : tones[status]} title={title}>
      {status_code !== undefined && <div>{reason(status_code, status_reason)}</div>}
      {carrier !== "" && (
        <div>
          {next.carrierSays} <Foreign text={carrier} />
        </div>
      )}
      {status === "queued" && scheduled_for !== undefined && (
        <div>
          {next.due} <Time at={scheduled_for} isRelative />
        </div>
      )}
      {status === "completed" && outcome !== null && <Foreign text={outcome.summary} />}
    </Notice>
  )
}
