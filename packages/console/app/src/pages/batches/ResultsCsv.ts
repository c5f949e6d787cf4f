/** The results of a batch as a table: each question of the agent and each entry of the metadata is a column. */
import { type CsvCell, toCsv } from "../../data/Csv.ts"
import type { Call } from "../../data/Wire.ts"

type Field = readonly [name: string, value: (call: Call) => CsvCell]

const fields: ReadonlyArray<Field> = [
  ["call_id", ({ id }) => id],
  ["phone_number", ({ phone_number }) => phone_number],
  ["contact_name", ({ contact }) => contact.name],
  ["external_id", ({ contact }) => contact.external_id],
  ["status", ({ status }) => status],
  ["status_reason", ({ status_reason }) => status_reason],
  ["answered_by", ({ answered_by }) => answered_by],
  ["dialed_at", ({ dialed_at }) => dialed_at],
  ["ended_at", ({ ended_at }) => ended_at],
  ["duration_seconds", ({ duration_seconds }) => duration_seconds],
  ["disposition", ({ outcome }) => outcome?.disposition],
  ["summary", ({ outcome }) => outcome?.summary],
  ["callback_requested", ({ outcome }) => outcome?.callback_requested],
  ["callback_time_text", ({ outcome }) => outcome?.callback_time_text],
  ["do_not_call", ({ outcome }) => outcome === null ? undefined : outcome.do_not_call === true]
]

/** One line per call, in the order given. Names of fields are those of the API in every language, so that other programs can read the file. */
export const resultsCsv = (calls: ReadonlyArray<Call>): string => {
  const questions = namesOf(calls, ({ outcome }) => outcome?.answers ?? {})
  const metadata = namesOf(calls, (call) => call.metadata as Readonly<Record<string, unknown>>) // any JSON object
  return toCsv(
    [...fields.map(([name]) => name), ...questions, ...metadata.map((name) => `metadata.${name}`)],
    calls.map((call) => [
      ...fields.map(([, value]) => value(call)),
      ...questions.map((question) => cell(call.outcome?.answers[question])),
      ...metadata.map((name) => cell((call.metadata as Readonly<Record<string, unknown>>)[name])) // likewise
    ])
  )
}

const namesOf = (
  calls: ReadonlyArray<Call>,
  record: (call: Call) => Readonly<Record<string, unknown>>
): ReadonlyArray<string> => [
  ...new Set(calls.flatMap((call) => Object.keys(record(call))))
]

const cell = (value: unknown): CsvCell =>
  value === undefined || value === null || typeof value === "string" || typeof value === "number" ||
    typeof value === "boolean"
    ? value
    : JSON.stringify(value)
