/** The steps of the call, in order. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Timeline, TimelineItem } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { type Texts, useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Icon, type IconName } from "../../ui/Icon.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { useReason } from "../../ui/Reason.tsx"
import { Duration, Time } from "../../ui/Time.tsx"

/** Events and deliveries have a card of their own. */
type Step = Exclude<TimelineItem, { readonly kind: "event" | "delivery" }>

const isStep = (item: TimelineItem): item is Step => item.kind !== "event" && item.kind !== "delivery"

export const TimelineCard = ({ timeline }: { readonly timeline: UseQueryResult<Timeline> }) => {
  const { call } = useTexts()
  const format = useFormat()
  return (
    <Card title={call.timeline}>
      <Loaded query={timeline} lines={4}>
        {({ items }) => (
          <ol className="timeline">
            {items.filter(isStep).map((step, index, steps) => (
              <StepRow key={`${step.kind} ${index}`} step={step} isOfNewDay={isOfNewDay(steps, index, format.date)} />
            ))}
          </ol>
        )}
      </Loaded>
    </Card>
  )
}

/** Whether the date of the step is not that of the step before it. The first one has a date when not all steps are of its day. */
const isOfNewDay = (steps: ReadonlyArray<Step>, index: number, dayOf: (at: Date) => string): boolean => {
  const [one, other] = [steps[index], index === 0 ? steps.at(-1) : steps[index - 1]]
  return one !== undefined && other !== undefined && dayOf(new Date(one.at)) !== dayOf(new Date(other.at))
}

const StepRow = ({ isOfNewDay, step }: { readonly step: Step; readonly isOfNewDay: boolean }) => {
  const { call } = useTexts()
  const [tone, icon] = lookOf(step)
  return (
    <li>
      <span className={`sign ${tone}`}>
        <Icon name={icon} size={14} />
      </span>
      <div>
        <div>{titleOf(step, call)}</div>
        <div className="muted small">
          <Details step={step} />
        </div>
      </div>
      <span className="small numeric">
        <Time at={step.at} form={isOfNewDay ? "short" : "clock"} />
      </span>
    </li>
  )
}

const lookOf = (step: Step): readonly [tone: string, icon: IconName] => {
  switch (step.kind) {
    case "created":
      return ["", "plus"]
    case "held":
      return ["warn", "clock"]
    case "dialed":
      return ["accent", "phone"]
    case "answered":
      return ["accent", "play"]
    case "machine":
      return ["warn", "ring"]
    case "ended":
      return step.status === "completed"
        ? ["good", "check"]
        : step.status === "failed"
        ? ["bad", "cross"]
        : ["", "close"]
    case "recording":
      return step.stored ? ["good", "check"] : ["warn", "warning"]
    case "outcome":
      return step.disposition === null ? ["warn", "warning"] : ["good", "check"]
  }
}

const titleOf = (step: Step, { steps }: Texts["call"]): string => {
  switch (step.kind) {
    case "recording":
      return step.stored ? steps.recording : steps.noRecording
    case "outcome":
      return step.disposition === null ? steps.noOutcome : steps.outcome
    case "machine":
      return steps.machines[step.machine]
    case "ended":
      return steps.ended[step.status]
    case "held":
      return step.is_current ? steps.heldNow : steps.held
    default:
      return steps[step.kind]
  }
}

const Details = ({ step }: { readonly step: Step }): ReactNode => {
  const { call } = useTexts()
  const reason = useReason()
  switch (step.kind) {
    case "created":
      return step.batch_id === null ? call.steps.alone : call.steps.inBatch
    case "held":
      return (
        <>
          {reason(step.status_code, step.reason)}
          {step.until !== null && (
            <>
              {`, ${call.steps.until} `}
              <Time at={step.until} />
            </>
          )}
          {step.omitted > 0 && <div>{call.steps.omitted(step.omitted)}</div>}
        </>
      )
    case "dialed":
      return step.carrier !== null && <Foreign text={call.steps.over(step.carrier)} />
    case "answered":
      return step.answered_by !== null && call.answeredBy[step.answered_by]
    case "ended": {
      const carrier = [step.carrier_reason?.code, step.carrier_reason?.message].filter((part) => part !== undefined)
      return (
        <>
          {step.duration_seconds > 0 && <Duration seconds={step.duration_seconds} />}
          {step.status_code !== null && <div>{reason(step.status_code, step.reason ?? "")}</div>}
          {carrier.length > 0 && <Foreign text={carrier.join(" ")} />}
        </>
      )
    }
    case "outcome":
      return step.disposition !== null && <Foreign text={step.disposition} />
    default:
      return null
  }
}
