/** What a rule's verdict is based on, in the language of the page. A name that the page does not know is shown as the server has it. */
import { durationText } from "../data/DurationText.ts"
import type { Verdict } from "../data/Wire.ts"
import type { Format } from "../texts/Format.ts"
import type { Texts } from "../texts/Language.tsx"

export interface Words {
  readonly texts: Pick<Texts, "common" | "hours" | "rules">
  readonly format: Pick<Format, "dateTime" | "number">
}

/** Such as `Time zones: America/New_York`, a line for each value. What is absent is left out. */
export const ruleDataText = (data: Verdict["data"], words: Words): string => {
  const names: Readonly<Record<string, string>> = words.texts.rules.dataNames
  return Object.entries(data).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${nameIn(names, name)}: ${valueIn(name, value, words)}`).join("\n")
}

const nameIn = (names: Readonly<Record<string, string>>, name: string): string =>
  (Object.hasOwn(names, name) ? names[name] : undefined) ?? name.replaceAll("_", " ")

const valueIn = (name: string, value: unknown, words: Words): string =>
  name.endsWith("_seconds") && typeof value === "number" ? durationText(value) : valueText(value, words)

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

const valueText = (value: unknown, words: Words): string => {
  const { format, texts: { common, hours, rules } } = words
  if (Array.isArray(value)) return value.map((one) => valueText(one, words)).join(", ")
  if (typeof value === "boolean") return value ? common.yes : common.no
  if (typeof value === "number") return format.number(value)
  if (typeof value === "string" && instant.test(value)) return format.dateTime(new Date(value))
  if (typeof value !== "object" || value === null) return String(value)
  if ("start" in value && "end" in value) return hours.span(String(value.start), String(value.end))
  if ("max" in value && "window_seconds" in value) {
    return rules.limit(format.number(Number(value.max)), durationText(Number(value.window_seconds)))
  }
  // Names with the same value stand together, such as the days of a week.
  const names = Map.groupBy(Object.entries(value), ([, one]) => valueText(one, words))
  return [...names].map(([text, entries]) => `${entries.map(([name]) => nameIn(hours.days, name)).join(", ")} ${text}`)
    .join("; ")
}
