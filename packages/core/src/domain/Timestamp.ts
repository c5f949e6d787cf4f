/** Instants as requests write them. */
import { DateTime, Option, Schema, SchemaGetter } from "effect"

// A time without `Z` or an offset would mean the server's zone, so it is refused; a date alone is midnight in UTC.
const iso8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/

/** Whether there is such a day: parsers shift the 30th of February into March. */
const isDate = (text: string): boolean =>
  Option.exists(DateTime.make(`${text}T00:00:00Z`), (at) => DateTime.formatIso(at).startsWith(text))

const isTimestamp = (text: string): boolean =>
  iso8601.test(text) && isDate(text.slice(0, 10)) && Option.isSome(DateTime.make(text))

const timestampForm = "must be an ISO-8601 timestamp with Z or an offset, such as 2026-03-02T10:00:00Z"
const hostForm = "must be a valid Date or an ISO-8601 timestamp with Z or an offset, such as 2026-03-02T10:00:00Z"

/** An instant in ISO-8601, with `Z` or an offset. */
export const Timestamp = Schema.String.check(Schema.makeFilter((text) => isTimestamp(text) || timestampForm)).pipe(
  Schema.decodeTo(Schema.DateTimeUtc, {
    // Checked above.
    decode: SchemaGetter.transform((text) => DateTime.makeUnsafe(text)),
    encode: SchemaGetter.transform((at) => DateTime.formatIso(at))
  })
)

/** An instant as hosts in TypeScript write it: a `Date`, or text as `Timestamp` reads it. */
export const HostInstant = Schema.Union([Schema.Date.annotate({ message: hostForm }), Schema.String]).annotate({
  message: hostForm
}).check(
  Schema.makeFilter((value) =>
    (typeof value === "string" ? isTimestamp(value) : !Number.isNaN(value.getTime())) || hostForm
  )
).pipe(
  Schema.decodeTo(Schema.DateTimeUtc, {
    // Checked above.
    decode: SchemaGetter.transform((value) => DateTime.makeUnsafe(value)),
    encode: SchemaGetter.transform((at) => DateTime.toDateUtc(at))
  })
)
