/**
 * Port: what the world's numbering plans say of a number. `layer` asks libphonenumber's metadata; numbers are gated on
 * being possible, not valid, since validity refuses fiction ranges and new area codes.
 */
import { Context, Layer, Schema } from "effect"
import { parsePhoneNumberWithError } from "libphonenumber-js/max"
import { PhoneNumber } from "../domain/PhoneNumber.ts"

/** A number in its one canonical form (`+44 (0)20…` and `+4420…` are one callee), or why it cannot be called. */
export type Assessment =
  | { readonly _tag: "Callable"; readonly number: PhoneNumber }
  | { readonly _tag: "NotPossible" }
  /** Calls to it cost extra; they are never placed. */
  | { readonly _tag: "Premium"; readonly number: PhoneNumber }

export class PhoneNumbers extends Context.Service<PhoneNumbers, {
  readonly assess: (number: PhoneNumber) => Assessment
}>()("@outdial/core/ports/PhoneNumbers") {
  static readonly layer = Layer.succeed(PhoneNumbers, { assess: (number) => assess(number) })
}

const assess = (text: PhoneNumber): Assessment => {
  const parsed = parse(text)
  if (parsed === undefined || !parsed.isPossible()) return { _tag: "NotPossible" }
  // Without the trunk prefix that people dial at home, a possible number can be shorter than any that we keep.
  if (!isPhoneNumber(parsed.number)) return { _tag: "NotPossible" }
  const number = parsed.number
  return { _tag: parsed.getType() === "PREMIUM_RATE" ? "Premium" : "Callable", number }
}

const isPhoneNumber = Schema.is(PhoneNumber)

// The library throws for what is no number at all; that is an answer here, not a fault.
const parse = (text: string) => {
  try {
    return parsePhoneNumberWithError(text)
  } catch {
    return undefined
  }
}
