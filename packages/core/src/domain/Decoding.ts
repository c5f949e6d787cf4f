/**
 * Reads requests by schema. Everything that is wrong is reported at once. A field that the schema does not have is refused,
 * with the name that was probably meant.
 */
import { Effect, Result, Schema } from "effect"
import { InvalidRequest, type Problem } from "./Errors.ts"
import { problems } from "./Problems.ts"

interface Options {
  /** The path to the value, for values that are not fields of an object. */
  readonly at?: string
}

/** A decoder that reports every problem. */
export const reading = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, { at }: Options = {}) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const placed = ({ message, path }: Problem): Problem => ({ message, path: at === undefined ? path : [at, ...path] })
  return (input: unknown): Result.Result<S["Type"], InvalidRequest> =>
    Result.mapError(decode(input), ({ issue }) => {
      const [first, ...others] = problems(issue)
      return new InvalidRequest({ problems: [placed(first), ...others.map(placed)] })
    })
}

/** The same as an effect. */
export const decoding = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, options?: Options) => {
  const read = reading(schema, options)
  return (input: unknown) => Effect.suspend(() => Effect.fromResult(read(input)))
}
