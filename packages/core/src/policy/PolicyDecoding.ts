/**
 * Reads a policy as its owner wrote it. Refuses every unknown field and time zone, with the names that are known. Each
 * problem has its path and what to do. Stores nothing.
 */
import { Effect, Schema } from "effect"
import { InvalidRequest, type Problem } from "../domain/Errors.ts"
import { CountryCode, PolicyDocument, TimeZoneName } from "../domain/Policy.ts"
import { PolicyWire } from "../domain/PolicyWire.ts"
import { problems } from "../domain/Problems.ts"
import { isCountry } from "../phone-number/PhoneNumbers.ts"

/** Whether there is such a time zone. */
export type IsKnownZone = (zone: string) => boolean

/** A policy with the names that it has in TypeScript. */
export const decode = (input: unknown, isKnown: IsKnownZone): Effect.Effect<PolicyDocument, InvalidRequest> =>
  read(PolicyDocument, input, [
    ...unknownZones(input, isKnown, ["timeZone", "fallbackTimeZone"]),
    ...unknownCountry(input, "defaultCountry")
  ])

/** A policy in snake_case, as a file has it. */
export const decodeWire = (input: unknown, isKnown: IsKnownZone): Effect.Effect<PolicyDocument, InvalidRequest> =>
  read(PolicyWire, input, [
    ...unknownZones(input, isKnown, ["time_zone", "fallback_time_zone"]),
    ...unknownCountry(input, "default_country")
  ])

/** The policy as `decodeWire` reads it. */
export const encodeWire = Schema.encodeSync(PolicyWire)

/** Maximum number of problems in one answer: the first ones are more useful than all of them. */
const problemsMost = 100

/** The schema's result. Other problems are reported together with the schema's. */
const read = <A>(
  schema: Schema.ConstraintDecoder<A>,
  input: unknown,
  alsoWrong: ReadonlyArray<Problem>
): Effect.Effect<A, InvalidRequest> =>
  Effect.matchEffect(Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })(input), {
    onFailure: ({ issue }) => {
      const [first, ...others] = [...alsoWrong, ...problems(issue)].slice(0, problemsMost)
      return new InvalidRequest({ problems: [first ?? { path: [], message: "is not valid" }, ...others] })
    },
    onSuccess: (document) => {
      const [first, ...others] = alsoWrong
      return first === undefined
        ? Effect.succeed(document)
        : Effect.fail(new InvalidRequest({ problems: [first, ...others] }))
    }
  })

/** A problem if the field names a country without a numbering plan; the schema reports text that is not a country code. */
const unknownCountry = (input: unknown, field: string): ReadonlyArray<Problem> => {
  const code = fieldsOf(input).get(field)
  return !isCountryCode(code) || isCountry(code)
    ? []
    : [{
      path: [field],
      message: `${code} is not a country that has telephone numbers; use an ISO 3166 code such as US`
    }]
}

const isCountryCode = Schema.is(CountryCode)

const fieldsOf = (input: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof input === "object" && input !== null ? Object.entries(input) : [])

const isZoneName = Schema.is(TimeZoneName)

/** Problems of fields that name an unknown zone; the schema reports text that is not a zone name. */
const unknownZones = (input: unknown, isKnown: IsKnownZone, fields: ReadonlyArray<string>): ReadonlyArray<Problem> => {
  const written = fieldsOf(input)
  return fields.flatMap((field) => {
    const zone: unknown = written.get(field)
    return !isZoneName(zone) || isKnown(zone)
      ? []
      : [{ path: [field], message: `${zone} is not a known time zone; use a name such as Europe/Paris` }]
  })
}
