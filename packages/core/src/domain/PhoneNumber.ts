/**
 * A phone number in E.164 form. `PhoneNumberText` reads what people type, by the rule of spec §4.1, after folding
 * look-alike characters to ASCII. The `PhoneNumbers` port knows which numbers countries have.
 */
import { Schema, SchemaGetter } from "effect"

/** The message for text that is not a phone number. */
export const message =
  "must be a telephone number in E.164 form: \"+\", then 7 to 15 digits of which the first is not 0, such as +14155550100"

/** `+` and 7 to 15 digits, the first of them not 0. */
export const PhoneNumber = Schema.String.check(Schema.isPattern(/^\+[1-9][0-9]{6,14}$/u, { message })).annotate({
  description: "A telephone number in E.164 form",
  examples: ["+14155550100"]
}).pipe(Schema.brand("PhoneNumber"))
export type PhoneNumber = typeof PhoneNumber.Type

// Fullwidth forms lie 0xFEE0 above ASCII.
const fullWidth = /[\uFF01-\uFF5E]/g
// Every Unicode dash and the minus sign.
const dashes = /[\u2010-\u2015\u2043\u2212\uFE58\uFE63]/g
// Space separators; tab and newline are control characters and stay, to be refused.
const spaces = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g
// Invisible formatting marks: soft hyphen, zero-width characters, direction marks, word joiner, byte-order mark.
const invisible = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]/g

/** The number as spec §4.1 reads it: spaces, dashes, dots and brackets ignored, a leading `00` read as `+`. */
export const clean = (text: string): string =>
  text
    .replace(fullWidth, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .replace(dashes, "-")
    .replace(spaces, " ")
    .replace(invisible, "")
    .replace(/[ .()[\]-]/g, "")
    .replace(/^00/, "+")

/** Decodes what a person typed. Letters, extensions and control characters are refused. */
export const PhoneNumberText = Schema.String.pipe(
  Schema.decode({ decode: SchemaGetter.transform(clean), encode: SchemaGetter.passthrough() }),
  Schema.check(Schema.isPattern(/^\+[1-9][0-9]{6,14}$/u, { message })),
  Schema.brand("PhoneNumber")
)

/** Digits without a country, as people dial them at home; with prefixes no number has more than 20. */
const national = /^[0-9]{1,20}$/u

/** Whether the text has no country code, so that only an account's default country makes it a number. */
export const isNational = (text: string): boolean => national.test(clean(text))

/**
 * The phone number of a request: in E.164 form, or as dialed in the account's default country. Decodes to the cleaned
 * text. The number depends on the account, so the engine reads it.
 */
export const WrittenNumber = Schema.String.pipe(
  Schema.decode({ decode: SchemaGetter.transform(clean), encode: SchemaGetter.passthrough() }),
  Schema.check(Schema.isPattern(/^(\+[1-9][0-9]{6,14}|[0-9]{1,20})$/u, { message }))
)

/** Whether it is the alias of an erased number, which only storage and the rules see. */
export const isErased = (number: PhoneNumber): boolean => !number.startsWith("+")

/** The number as logs and spans may show it: country and last two digits. */
export const mask = (number: string): string => `${number.slice(0, 3)}…${number.slice(-2)}`
