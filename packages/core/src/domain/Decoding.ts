/**
 * Reads requests by schema. Everything that is wrong is reported at once. A field that the schema does not have is refused,
 * with the name that was probably meant.
 */
import { Effect, Result, Schema } from "effect"
import { InvalidRequest, type Problem } from "./Errors.ts"
import { nearestName } from "./NearestName.ts"
import { problems, problemsOf } from "./Problems.ts"

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

/**
 * A decoder of what another system sends, which may add fields at any time. An unknown field is ignored, unless it seems to be a
 * misspelling: a known name is near to it, and the object does not have the field of that name.
 */
export const decodingForeign = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const strict = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const lenient = Schema.decodeUnknownResult(schema, { onExcessProperty: "ignore" })
  return (input: unknown): Effect.Effect<S["Type"], InvalidRequest> =>
    Effect.suspend(() =>
      Effect.fromResult(Result.orElse(strict(input), ({ issue }) => {
        const ignoresKey = (path: Problem["path"], known: ReadonlyArray<string>) => !isMisspelled(input, path, known)
        const [first, ...others] = problemsOf(issue, { ignoresKey })
        return first === undefined
          ? Result.mapError(lenient(input), ({ issue }) => new InvalidRequest({ problems: problems(issue) }))
          : Result.fail(new InvalidRequest({ problems: [first, ...others] }))
      }))
    )
}

const isMisspelled = (input: unknown, path: Problem["path"], known: ReadonlyArray<string>): boolean => {
  const parent = path.slice(0, -1).reduce<unknown>((value, key) => Reflect.get(Object(value), key), input)
  const meant = nearestName(String(path.at(-1)), known)
  return meant !== undefined && !Reflect.has(Object(parent), meant)
}
