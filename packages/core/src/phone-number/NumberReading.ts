/** Reads a number as people write it, into the canonical form of stored calls. */
import { Effect, Option, Schema } from "effect"
import { InvalidRequest } from "../domain/Errors.ts"
import type { Account } from "../domain/Account.ts"
import { clean, isNational, message, type PhoneNumber, PhoneNumberText } from "../domain/PhoneNumber.ts"
import type { Assessment, PhoneNumbers } from "./PhoneNumbers.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** The number with its assessment, or what is wrong with the text. */
export type Read =
  | { readonly _tag: "Number"; readonly number: PhoneNumber; readonly assessment: Assessment }
  | { readonly _tag: "NotANumber"; readonly message: string }

/** Reads the text. `country` is the country of numbers without a country code. */
export const read = (numbers: PhoneNumbers["Service"]) => (text: string, defaultCountry: string | undefined): Read => {
  const decoded = decodeNumber(text)
  if (Option.isSome(decoded)) return found(numbers, decoded.value)
  if (defaultCountry === undefined || !isNational(text)) return { _tag: "NotANumber", message }
  const number = numbers.dialedIn(defaultCountry, clean(text))
  return number === undefined
    ? {
      _tag: "NotANumber",
      message: `is not a telephone number in ${defaultCountry}, your default country; ` +
        "give it in E.164 form, such as +14155550100"
    }
    : found(numbers, number)
}

const found = (numbers: PhoneNumbers["Service"], number: PhoneNumber): Read => ({
  _tag: "Number",
  number,
  assessment: numbers.assess(number)
})

/** The number for the do-not-call list, or what is wrong with the text. */
export const readNumber = (numbers: PhoneNumbers["Service"]) => {
  const readIn = read(numbers)
  return (text: string, defaultCountry: string | undefined): PhoneNumber | { readonly message: string } => {
    const result = readIn(text, defaultCountry)
    if (result._tag === "NotANumber") return result
    // A number that its country cannot have is never called, and is as well on a list as off it.
    return result.assessment._tag === "NotPossible" ? result.number : result.assessment.number
  }
}

/** The account's default country, read only if one of the texts has no country code. */
export const defaultCountryFor = (
  getAccount: Effect.Effect<Option.Option<Account>, StorageError>,
  texts: ReadonlyArray<string>
): Effect.Effect<string | undefined, StorageError> =>
  texts.some(isNational)
    ? Effect.map(
      getAccount,
      (account) => Option.getOrUndefined(account)?.policy?.defaultCountry
    )
    : Effect.succeed(undefined)

/** The error of a request with such a number. */
export const notANumber = (message: string): InvalidRequest =>
  new InvalidRequest({ problems: [{ path: ["phoneNumber"], message }] })

const decodeNumber = Schema.decodeUnknownOption(PhoneNumberText)
