/**
 * Masks phone numbers in logs, and in what viewers of the console get, wherever they come from. Guarantees that nine digits in a row, seven
 * behind a plus, and seven that begin with 0 are not shown, and viewers get no seven digits that only spaces or
 * marks separate. Ids, instants and dates stay readable; in doubt, digits are hidden.
 */
import * as PhoneNumber from "../domain/PhoneNumber.ts"

/** UUIDs, our ids, trace and span ids, instants and dates, which stay readable. */
const harmless =
  "\\b[\\da-f]{8}-(?:[\\da-f]{4}-){3}[\\da-f]{12}\\b|\\b[\\da-f]{32}\\b|\\b20\\d\\d-[01]\\d-[0-3]\\d[T ][0-2]\\d:[0-5]\\d(?::\\d\\d(?:\\.\\d+)?)?|" +
  "\\b(?:acct|call|batch|evt|dlv|key|wrk|session|audit|req)_[0-9A-HJKMNP-TV-Z]{26}\\b"

const [day, month, year] = ["(?:0?[1-9]|[12]\\d|3[01])", "(?:0?[1-9]|1[0-2])", "(?:19|20)\\d\\d"]

/** Day, month and year in the orders that people write. */
const dates = `(?<![\\p{Nd}./-])(?:${year}(?<a>[./-])${month}\\k<a>${day}|${day}(?<b>[./-])${month}\\k<b>${year}|` +
  `${month}(?<c>[./-])${day}\\k<c>${year})(?![./-]?\\p{Nd})`

/** What people write between the digits of a number. */
const separator = "[\\s()./\\p{Pd}\\p{Cf}]"

/**
 * In international form, with or without its plus, or with separators. Covers the digits and separators of every script,
 * because phone numbers in requests are read that way, too.
 */
const numbers = `(?:[+\uff0b]|%2B)\\(?\\p{Nd}(?:${separator}{0,3}\\p{Nd}){6,14}\\p{Nd}*|\\p{Nd}{9,}|` +
  "(?<!\\p{Nd})\\(?\\p{Nd}{3}\\)?[\\s./\\p{Pd}]{1,2}\\p{Nd}{3}[\\s./\\p{Pd}]\\p{Nd}{4}(?!\\p{Nd})"

/** From 0 on, as most countries write numbers at home: 089/1234567, (030) 123 45 67. Not fractions, nor parts of other words. */
const national = `(?<![\\p{Nd}\\p{L}_.,:])\\(?[0\uff10](?!\\.)(?:${separator}{0,3}\\p{Nd}){6,}`

/** Seven digits or more that only separators part. */
const anyGroups = `[+\uff0b(]?\\p{Nd}(?:${separator}{0,3}\\p{Nd}){6,}`

const masking = (forms: string) => {
  const pattern = new RegExp(`(${harmless}|${dates})|${forms}`, "giu")
  return (text: string): string =>
    text.replace(pattern, (found: string, kept: string | undefined) => kept ?? PhoneNumber.mask(found))
}

/** The text with its telephone numbers masked. */
export const masked: (text: string) => string = masking(`${numbers}|${national}`)

/** The text as viewers of the console get it. Also hides seven digits that may be another number. */
export const maskedForViewers: (text: string) => string = masking(`${anyGroups}|${numbers}`)

/** A JSON value with all its strings masked, and every number that could be a phone number. */
export const maskedValue = (value: unknown): unknown => {
  if (typeof value === "string") return masked(value)
  if (typeof value === "number") return masked(String(value)) === String(value) ? value : masked(String(value))
  if (Array.isArray(value)) return value.map(maskedValue)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [masked(key), maskedValue(inner)]))
}
