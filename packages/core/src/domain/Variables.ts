/** Values for the placeholders of a script, and the key rule of spec §8. */
import { Schema } from "effect"
import * as Limits from "./Limits.ts"
import * as Placeholder from "./Placeholder.ts"
import { text } from "./Text.ts"

/** Starts with a letter, then letters, digits, `_` or spaces; at most 40 characters (spec §8). */
export const VariableKey = Schema.String.check(
  Schema.isPattern(Placeholder.variableKey, {
    message: "must be a variable key: a letter, then letters, digits, _ or spaces, at most 40 characters"
  })
)

/** Text, number or boolean (spec §8). */
export const VariableValue = Schema.Union([
  text(Limits.variableTextLength),
  Schema.Finite.annotate({ message: "must be a finite number" }),
  Schema.Boolean
]).annotate({ message: "must be text, a number, true or false" })

/** At most 100 values. Names that the script does not use are allowed. */
// A record with a checked key would drop the keys that fail; checking the names refuses them.
export const Variables = Schema.Record(Schema.String, VariableValue).check(
  Schema.isPropertyNames(VariableKey),
  Schema.isMaxProperties(Limits.variableCount, { message: `must have at most ${Limits.variableCount} entries` })
)
export type Variables = typeof Variables.Type
