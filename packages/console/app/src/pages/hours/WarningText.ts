/** What is unusual in the rules, in the language of the page. The server's text stands in for codes that the page does not know. */
import { durationText } from "../../data/DurationText.ts"
import type { PolicyWarning } from "../../data/Wire.ts"
import type { Texts } from "../../texts/Language.tsx"
import { serverText } from "../../texts/ServerText.ts"

/** The values of a warning as text. A value that the warning does not have is empty. */
export interface WarningValues {
  /** When the phone may ring, as the beginning of a sentence. */
  readonly rings: string
  readonly gap: string
  readonly least: string
  readonly max: number
  readonly calendar: string
}

export const warningText = ({ code, data, message }: PolicyWarning, all: Pick<Texts, "hours" | "server">): string => {
  const texts = all.hours
  const known: Readonly<Record<string, (values: WarningValues) => string>> = texts.warningTexts
  if (!Object.hasOwn(known, code)) return message
  return known[code]?.({
    rings: ringsText(data, texts),
    gap: durationOf(data.seconds),
    least: durationOf(data.least),
    max: data.max ?? 0,
    calendar: serverText(data.calendar ?? "", all)
  }) ?? message
}

const durationOf = (seconds: number | undefined): string => seconds === undefined ? "" : durationText(seconds)

const ringsText = (data: PolicyWarning["data"], texts: Texts["hours"]): string => {
  const { times = [] } = data
  if (times.length === 0) return texts.rings.anyTime
  const days: Readonly<Record<string, string>> = texts.days
  const shown = times.map(({ day, end, start }) => `${days[day] ?? day} ${texts.span(start, end)}`).join(", ")
  return data.default === true ? texts.rings.byDefault(shown) : texts.rings.at(shown)
}
