/** Rules of a policy in words. */
import { durationText } from "../../data/DurationText.ts"
import { useTexts } from "../../texts/Language.tsx"
import type { presetFields } from "./PolicyDraft.ts"
import { type CallingHours, spansOf, timeOf } from "./Week.ts"

type Field = (typeof presetFields)[number]

interface NumberLimit {
  readonly max: number
  readonly window_seconds: number
}

/** Such as `Monday–Friday 09:00–20:00`. `undefined` is a rule that is not there. */
export const useRuleText = () => {
  const { hours: texts } = useTexts()
  const hoursText = (hours: CallingHours | null): string => {
    if (hours === null) return texts.anyTime
    const spans = spansOf(hours).map(({ first, last, windows }) => {
      const days = first === last ? texts.days[first] : texts.span(texts.days[first], texts.days[last])
      return `${days} ${windows.map(({ end, start }) => texts.span(timeOf(start), timeOf(end))).join(", ")}`
    })
    return spans.length === 0 ? texts.closed : spans.join("\n")
  }
  const limitsText = (limits: ReadonlyArray<NumberLimit>): string =>
    limits.length === 0
      ? texts.limit.none
      : limits.map(({ max, window_seconds }) => texts.limit.text(max, durationText(window_seconds))).join("\n")
  return (field: Field, value: unknown): string => {
    if (value === undefined) return "–"
    // The server has checked the values.
    if (field === "calling_hours") return hoursText(value as CallingHours | null)
    return field === "recall_gap_seconds"
      ? durationText(value as number)
      : limitsText(value as ReadonlyArray<NumberLimit>)
  }
}
