/**
 * Masks phone numbers in logs, and in what viewers of the console get, wherever they come from. Guarantees that nine digits in a row, and
 * seven behind a plus, are not shown unless they are part of an id or an instant; in doubt, digits are hidden.
 */
import * as PhoneNumber from "../domain/PhoneNumber.ts"

/** UUIDs, trace and span ids, and instants, which stay readable. */
const harmless =
  "\\b[\\da-f]{8}-(?:[\\da-f]{4}-){3}[\\da-f]{12}\\b|\\b[\\da-f]{32}\\b|\\b20\\d\\d-[01]\\d-[0-3]\\d[T ][0-2]\\d:[0-5]\\d(?::\\d\\d(?:\\.\\d+)?)?"

/**
 * In international form, with or without its plus, or with separators. Covers the digits and separators of every script,
 * because phone numbers in requests are read that way, too.
 */
const numbers = "(?:[+\uff0b]|%2B)\\(?\\p{Nd}(?:[\\s()./\\p{Pd}\\p{Cf}]{0,3}\\p{Nd}){6,14}\\p{Nd}*|\\p{Nd}{9,}|" +
  "(?<!\\p{Nd})\\(?\\p{Nd}{3}\\)?[\\s./\\p{Pd}]{1,2}\\p{Nd}{3}[\\s./\\p{Pd}]\\p{Nd}{4}(?!\\p{Nd})"

const pattern = new RegExp(`(${harmless})|${numbers}`, "giu")

/** The text with its telephone numbers masked. */
export const masked = (text: string): string =>
  text.replace(pattern, (found: string, kept: string | undefined) => kept ?? PhoneNumber.mask(found))

/** A JSON value with all its strings masked, and every number that could be a phone number. */
export const maskedValue = (value: unknown): unknown => {
  if (typeof value === "string") return masked(value)
  if (typeof value === "number") return masked(String(value)) === String(value) ? value : masked(String(value))
  if (Array.isArray(value)) return value.map(maskedValue)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [masked(key), maskedValue(inner)]))
}
