/** Reads what a host hands in, by schema, and says of everything that is wrong where it is and what to do. */
import { Effect, Result, Schema, type SchemaAST, SchemaIssue } from "effect"
import { InvalidRequest, type Problem } from "../domain/Errors.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The problems of a schema issue, each with its path. */
export const problems = (issue: SchemaIssue.Issue): readonly [Problem, ...Array<Problem>] => {
  const [first, ...others] = format(issue).issues.map(({ message, path = [] }) => ({
    message,
    path: path.map((part) => {
      const key = typeof part === "object" ? part.key : part
      return typeof key === "symbol" ? String(key) : key
    })
  }))
  return [first ?? { path: [], message: "is not valid" }, ...others]
}

type Options = Pick<SchemaAST.ParseOptions, "onExcessProperty">

/** A decoder that reports every problem at once. */
export const reading = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, options: Options = {}) => {
  const decode = Schema.decodeUnknownResult(schema, { ...options, errors: "all" })
  return (input: unknown): Result.Result<S["Type"], InvalidRequest> =>
    Result.mapError(decode(input), (error) => new InvalidRequest({ problems: problems(error.issue) }))
}

/** The same as an effect. */
export const decoding = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, options?: Options) => {
  const read = reading(schema, options)
  return (input: unknown) => Effect.suspend(() => Effect.fromResult(read(input)))
}
