/** Reads a number as people write it, in the form that calls are kept under. */
import { Option, Schema } from "effect"
import { type PhoneNumber, PhoneNumberText } from "../domain/PhoneNumber.ts"
import type { PhoneNumbers } from "./PhoneNumbers.ts"

/** The number, or what is wrong with it. */
export const readNumber =
  (numbers: PhoneNumbers["Service"]) => (text: string): PhoneNumber | { readonly message: string } => {
    const decoded = decodeNumber(text)
    if (Option.isNone(decoded)) return { message: notANumber }
    const assessment = numbers.assess(decoded.value)
    // A number that its country cannot have is never called, and is as well on a list as off it.
    return assessment._tag === "NotPossible" ? decoded.value : assessment.number
  }

const decodeNumber = Schema.decodeUnknownOption(PhoneNumberText)

const notANumber =
  "must be a telephone number in E.164 form: \"+\", then 7 to 15 digits of which the first is not 0, such as +14155550100"
