/** Text with a maximum length; its message says what to change. */
import { Schema } from "effect"

/** At most `length` characters. */
export const text = (length: number) =>
  Schema.String.annotate({ message: "must be text" }).check(
    Schema.isMaxLength(length, { message: `must have at most ${length} characters` })
  )

/** 1 to `length` characters. */
export const nonEmptyText = (length: number) =>
  text(length).check(Schema.isMinLength(1, { message: "must not be empty" }))
