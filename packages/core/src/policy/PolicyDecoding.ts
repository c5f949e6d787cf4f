/**
 * Reads a policy as its owner wrote it. Refuses every field that is not known and every zone that is not, with the names that
 * are; says of all that is wrong where it is and what to do. Keeps nothing.
 */
import { Effect, Schema } from "effect"
import { InvalidRequest, type Problem } from "../domain/Errors.ts"
import { PolicyDocument, TimeZoneName } from "../domain/Policy.ts"
import { PolicyWire } from "../domain/PolicyWire.ts"
import { problems } from "../domain/Problems.ts"

/** Whether there is such a time zone. */
export type IsKnownZone = (zone: string) => boolean

/** A policy with the names that it has in TypeScript. */
export const decode = (input: unknown, isKnown: IsKnownZone): Effect.Effect<PolicyDocument, InvalidRequest> =>
  read(PolicyDocument, input, unknownZones(input, isKnown, ["timeZone", "fallbackTimeZone"]))

/** A policy in snake_case, as a file has it. */
export const decodeWire = (input: unknown, isKnown: IsKnownZone): Effect.Effect<PolicyDocument, InvalidRequest> =>
  read(PolicyWire, input, unknownZones(input, isKnown, ["time_zone", "fallback_time_zone"]))

/** The policy as `decodeWire` reads it. */
export const encodeWire = Schema.encodeSync(PolicyWire)

/** How many problems are told at once: who has more is better told what the first are than all of them. */
const problemsMost = 100

/** What the schema makes of it; what else is wrong with it is told with what the schema says. */
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

const isZoneName = Schema.is(TimeZoneName)

/** The fields that name a zone which there is not; of what is no name of any the schema tells. */
const unknownZones = (input: unknown, isKnown: IsKnownZone, fields: ReadonlyArray<string>): ReadonlyArray<Problem> => {
  const written = new Map(typeof input === "object" && input !== null ? Object.entries(input) : [])
  return fields.flatMap((field) => {
    const zone: unknown = written.get(field)
    return !isZoneName(zone) || isKnown(zone)
      ? []
      : [{ path: [field], message: `${zone} is not a time zone that is known here; use a name such as Europe/Paris` }]
  })
}
