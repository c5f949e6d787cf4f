/** The numbers of this moment and of today. */
import type { ReactNode } from "react"
import { endedToday, rate } from "../../data/Overview.ts"
import type { Overview } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"

export const Figures = ({ overview }: { readonly overview: Overview }) => {
  const { now } = useTexts()
  const format = useFormat()
  const { calls, lines, today } = overview
  const ended = endedToday(overview)
  const percent = (value: number | undefined) => value === undefined ? "–" : format.percent(value)
  const share = lines.limit === 0 ? 0 : Math.min(1, lines.used / lines.limit)
  return (
    <dl className="figures">
      <Figure
        name={now.lines}
        value={format.number(lines.used)}
        detail={
          <>
            {now.ofLines(lines.limit)}
            <span className="bar" aria-hidden="true" style={{ display: "block" }}>
              <span style={{ width: `${share * 100}%` }} />
            </span>
          </>
        }
      />
      <Figure name={now.waiting} value={format.number(calls.queued)} detail={now.waitingDetail} />
      <Figure name={now.dialing} value={format.number(calls.dialing)} detail={now.dialingDetail} />
      <Figure name={now.inProgress} value={format.number(calls.in_progress)} detail={now.inProgressDetail} />
      <Figure name={now.placedToday} value={format.number(today.placed)} detail={now.day(today.time_zone)} />
      <Figure
        name={now.answerRate}
        value={percent(rate(today.answered, today.placed))}
        detail={now.outOf(today.answered, today.placed)}
      />
      <Figure
        name={now.completionRate}
        value={percent(rate(today.completed, ended))}
        detail={now.outOf(today.completed, ended)}
      />
    </dl>
  )
}

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly detail: ReactNode
}

const Figure = ({ detail, name, value }: FigureProps) => (
  <div className="figure">
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd className="detail">{detail}</dd>
  </div>
)
