/**
 * Port: the world's numbering plans. `layer` uses libphonenumber's metadata. A number must be possible, not valid,
 * because validity excludes fictional ranges and new area codes.
 */
import { Context, Layer, Schema } from "effect"
import { type CountryCode, isSupportedCountry, parsePhoneNumberWithError } from "libphonenumber-js/max"
import { PhoneNumber } from "../domain/PhoneNumber.ts"

/** The canonical form of a number (`+44 (0)20…` and `+4420…` are one callee), or why it cannot be called. */
export type Assessment = Possible | { readonly _tag: "NotPossible" }

/** A number that its country can have. */
export interface Possible {
  /** Calls to `Premium` numbers cost extra; they are never placed. */
  readonly _tag: "Callable" | "Premium"
  readonly number: PhoneNumber
  /** Two-letter code (ISO 3166) of the one country of the number; absent for numbers of several countries or none. */
  readonly country?: string
}

export class PhoneNumbers extends Context.Service<PhoneNumbers, {
  readonly assess: (number: PhoneNumber) => Assessment
  /**
   * The number that these digits are when they are dialed in the country (ISO 3166), also with the country's own prefix for calls
   * abroad, such as `011` in the US. Only numbers of seven digits or more in a range that
   * its plan has: emergency numbers and other short numbers are none.
   */
  readonly dialedIn: (country: string, digits: string) => PhoneNumber | undefined
  /** Whether the numbering plan has such a range; new area codes and numbers for fiction have none. */
  readonly isValid: (number: PhoneNumber) => boolean
}>()("@outdial/core/phone-number/PhoneNumbers") {
  static readonly layer = Layer.succeed(PhoneNumbers, {
    assess: (number) => assess(number),
    dialedIn: (country, digits) => dialedIn(country, digits),
    isValid: (number) => parse(number)?.isValid() === true
  })
}

const assess = (text: PhoneNumber): Assessment => {
  const parsed = parse(text)
  if (parsed === undefined || !parsed.isPossible()) return { _tag: "NotPossible" }
  // Without the trunk prefix, a possible number can be shorter than the minimum of stored numbers.
  if (!isPhoneNumber(parsed.number)) return { _tag: "NotPossible" }
  const { country, number } = parsed
  return {
    _tag: parsed.getType() === "PREMIUM_RATE" ? "Premium" : "Callable",
    number,
    ...(country !== undefined && { country })
  }
}

/** Whether there is a numbering plan for the country (ISO 3166). */
export const isCountry = (code: string): boolean => isSupportedCountry(code)

/** Emergency services and short codes have six digits at most, and in some countries subscribers have numbers like them. */
const shortestDialed = 7

const dialedIn = (country: string, digits: string): PhoneNumber | undefined => {
  if (!isSupportedCountry(country) || digits.length < shortestDialed) return undefined
  const parsed = parse(digits, country)
  // Possible is not enough here: an emergency number followed by more digits may be possible.
  if (parsed === undefined || !parsed.isValid() || parsed.ext !== undefined) return undefined
  return isPhoneNumber(parsed.number) ? parsed.number : undefined
}

const isPhoneNumber = Schema.is(PhoneNumber)

// The library throws for text that is not a number.
const parse = (text: string, defaultCountry?: CountryCode) => {
  try {
    return parsePhoneNumberWithError(text, { extract: false, ...(defaultCountry !== undefined && { defaultCountry }) })
  } catch {
    return undefined
  }
}
