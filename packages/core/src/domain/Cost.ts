/** What carriers charge. Amounts are exact: decimal numbers as text, as the carrier gives them. */
import { Option, Schema } from "effect"
import { field } from "./FieldDocs.ts"

export const Cost = Schema.Struct({
  /** In units of the currency, as a decimal number in text. */
  amount: field(
    Schema.String.check(Schema.isPattern(/^(0|[1-9]\d{0,11})(\.\d{0,11}[1-9])?$/)),
    "The amount in units of the currency, as a decimal number in text, such as `0.0075`.",
    "0.0075"
  ),
  /** By ISO 4217. */
  currency: field(Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/)), "The currency by ISO 4217.", "USD")
})
export type Cost = typeof Cost.Type

const number = /^[+-]?0*(\d+)(?:\.(\d+?)0*)?$/u

/** The cost of what a carrier says; none when it is no amount in a currency. Carriers write charges with either sign. */
export const read = (amount: string, currency: string): Option.Option<Cost> => {
  const [, whole = "", fraction = "0"] = number.exec(amount.trim()) ?? []
  return decode({ amount: fraction === "0" ? whole : `${whole}.${fraction}`, currency: currency.trim().toUpperCase() })
}

const decode = Schema.decodeUnknownOption(Cost)

/** Digits behind the point of an amount, at most. */
const digits = 12

const minor = (amount: string): bigint => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(digits, "0"))
}

/** The sums by currency, in the order of their names. */
export const summed = (costs: Iterable<Cost>): ReadonlyArray<Cost> => {
  const sums = new Map<string, bigint>()
  for (const { amount, currency } of costs) sums.set(currency, (sums.get(currency) ?? 0n) + minor(amount))
  return [...sums].sort(([a], [b]) => a < b ? -1 : 1).map(([currency, sum]) => ({ amount: written(sum), currency }))
}

const written = (sum: bigint): string => {
  const text = String(sum).padStart(digits + 1, "0")
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/u, "")
}
