/** How far something has come, with its words beside it. */
import { Label, ProgressBar as AriaProgressBar } from "react-aria-components"

export interface ProgressBarProps {
  readonly label: string
  readonly value: number
  readonly max: number
  /** Such as `3 of 10 rows checked`. */
  readonly text: string
}

export const ProgressBar = ({ label, max, text, value }: ProgressBarProps) => (
  <AriaProgressBar className="progress" value={value} maxValue={Math.max(1, max)} valueLabel={text}>
    {({ percentage = 0 }) => (
      <>
        <Label className="hidden-visually">{label}</Label>
        <span className="numeric">{text}</span>
        <span className="track">
          <span style={{ width: `${percentage}%` }} />
        </span>
      </>
    )}
  </AriaProgressBar>
)
