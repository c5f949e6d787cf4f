/**
 * An instant. Shown in the viewer's zone; UTC stands in the title, which also shows on hover, and in `datetime`. `isRelative` adds how far away it is,
 * such as `09:00 (in 3 hours)`, and renews that. Instants come from the API as ISO 8601 text.
 */
import { useNow } from "../data/Now.ts"
import { useFormat } from "../texts/Format.ts"
import { useTexts } from "../texts/Language.tsx"

export interface TimeProps {
  readonly at: string
  /** `clock` is the time of day with seconds; `day` the date alone. */
  readonly form?: "short" | "clock" | "day"
  readonly isRelative?: boolean
}

export const Time = ({ at, form = "short", isRelative = false }: TimeProps) => {
  const format = useFormat()
  const { common } = useTexts()
  const instant = new Date(at)
  if (Number.isNaN(instant.getTime())) return <bdi>{at}</bdi>
  const shown = { short: format.dateTime, clock: format.time, day: format.date }[form](instant)
  const utc = instant.toISOString().replace("T", " ").replace(/\.000Z$/, "Z").replace("Z", " UTC")
  return (
    <time dateTime={instant.toISOString()} title={`${utc}\n${common.yourTime}: ${format.full(instant)}`}>
      {shown}
      {isRelative && <Relative at={instant} />}
    </time>
  )
}

const Relative = ({ at }: { readonly at: Date }) => {
  const format = useFormat()
  const now = useNow(Math.abs(at.getTime() - Date.now()) < 120_000 ? 1_000 : 30_000)
  return <span className="muted">{` (${format.relative(at, now)})`}</span>
}

/** Seconds as `1:05`, read aloud in words. */
export const Duration = ({ seconds }: { readonly seconds: number }) => (
  <time className="numeric" dateTime={`PT${Math.round(seconds)}S`}>{useFormat().duration(seconds)}</time>
)
