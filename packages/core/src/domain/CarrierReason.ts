/** Why a carrier did not place or lost a call, in its own words. What it says is not ours: it is bounded, and shows no numbers and no secrets. */
import { Schema } from "effect"
import { field } from "./FieldDocs.ts"
import * as Limits from "./Limits.ts"
import { text } from "./Text.ts"

export const CarrierReason = Schema.Struct({
  code: field(
    Schema.optionalKey(text(Limits.carrierCodeLength)),
    "The carrier's own code, such as an error code or a SIP status.",
    "21215"
  ),
  message: field(
    Schema.optionalKey(text(Limits.carrierMessageLength)),
    "The carrier's own words, without telephone numbers, addresses and long identifiers.",
    "Account not authorized to call this country"
  )
})
export type CarrierReason = typeof CarrierReason.Type

/** What may be stored and shown of a carrier's reason; `undefined` when it says nothing. */
export const shown = ({ code = "", message = "" }: CarrierReason): CarrierReason | undefined => {
  const reason = {
    code: cleaned(code, Limits.carrierCodeLength),
    message: cleaned(message, Limits.carrierMessageLength)
  }
  if (reason.code === "" && reason.message === "") return undefined
  return { ...(reason.code !== "" && { code: reason.code }), ...(reason.message !== "" && { message: reason.message }) }
}

/** A sentence with the carrier's reason at its end. */
export const explained = (sentence: string, { code, message }: CarrierReason): string =>
  `${withoutPeriod(sentence)}${message === undefined ? "" : `: ${withoutPeriod(message)}`}${
    code === undefined ? "" : ` (${code})`
  }.`

const withoutPeriod = (sentence: string): string => sentence.replace(/\.$/u, "")

/** More of a text is not read. */
const longestRead = 1000

/** In the place of what is left out. */
const hidden = "…"

const cleaned = (given: string, length: number): string => {
  const line = given.slice(0, longestRead)
    // Control and format characters, and halves of pairs, which Postgres does not store.
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ")
    // Web, mail and SIP addresses: they may contain numbers, names and tokens.
    .replace(/\S*(?::\/\/|@)\S*/gu, hidden)
    // Keys, tokens and identifiers of accounts and calls.
    .replace(/(?=[\w=+/-]*\d)[\w=+/-]{20,}/gu, hidden)
    // Telephone numbers, however they are written.
    .replace(/[+(]?\d(?:[\s().\-/]{0,3}\d){6,}/gu, hidden)
    .trim()
  return line.length <= length ? line : `${line.slice(0, length - 1).replace(/\p{Cs}$/u, "")}${hidden}`
}
