/** How many calls of a batch are in each status: a bar of shares, and in words with `BatchLegend`. */
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import type { Batch, CallStatus } from "../../data/Wire.ts"

/** Results first, then what is under way, then what waits. */
const order: ReadonlyArray<CallStatus> = [
  "completed",
  "no_answer",
  "busy",
  "failed",
  "expired",
  "canceled",
  "in_progress",
  "dialing",
  "queued"
]

const notEnded: ReadonlyArray<CallStatus> = ["in_progress", "dialing", "queued"]

type Counts = Batch["counts"]

const sum = (counts: Counts, statuses: ReadonlyArray<CallStatus>): number =>
  statuses.reduce((total, status) => total + counts[status], 0)

export const allCalls = (counts: Counts): number => sum(counts, order)

export const endedCalls = (counts: Counts): number => allCalls(counts) - sum(counts, notEnded)

export const BatchBar = ({ counts, isTall = false }: { readonly counts: Counts; readonly isTall?: boolean }) => {
  const { batches, calls } = useTexts()
  const total = allCalls(counts)
  const shown = order.filter((status) => counts[status] > 0)
  const label = shown.map((status) => batches.share(calls.status[status], counts[status])).join(", ")
  return (
    <span
      className={isTall ? "batch-bar tall" : "batch-bar"}
      role="img"
      aria-label={label === "" ? batches.progressEmpty : label}
    >
      {shown.map((status) => (
        <span key={status} className={status} style={{ width: `${(counts[status] / total) * 100}%` }} />
      ))}
    </span>
  )
}

export const BatchLegend = ({ counts }: { readonly counts: Counts }) => {
  const { calls } = useTexts()
  const format = useFormat()
  const total = allCalls(counts)
  return (
    <ul className="batch-legend">
      {order.filter((status) => counts[status] > 0).map((status) => (
        <li key={status}>
          <span className={`batch-swatch ${status}`} aria-hidden="true" />
          {calls.status[status]}
          <strong className="numeric">{format.number(counts[status])}</strong>
          <span className="muted numeric">{format.percent(counts[status] / total)}</span>
        </li>
      ))}
    </ul>
  )
}
